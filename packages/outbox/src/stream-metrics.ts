import { jetstreamManager, type StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { type Runtime, startLoop } from '@tocsin/runtime';
import { Gauge } from 'prom-client';

const EVERY_MS = 30_000;

/** Reports the sizes and ages of streams every 30 seconds. One service reports all streams. */
export function startStreamMetrics(names: readonly string[], nats: NatsConnection, runtime: Runtime): AsyncDisposable {
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['stream'], registers: [runtime.metrics] });
  const bytes = gauge('tocsin_stream_bytes', 'Bytes that a stream holds.');
  const limit = gauge('tocsin_stream_limit_bytes', 'Bytes that a stream may hold; beyond it the oldest are discarded.');
  const reach = gauge('tocsin_stream_reach_seconds', 'Age of the oldest message in a stream; 0 when it is empty.');
  return startLoop('reading stream sizes', EVERY_MS, runtime, async () => {
    const { streams } = await jetstreamManager(nats, { checkAPI: false });
    for (const stream of names) {
      const { state, config } = await streams.info(stream);
      bytes.set({ stream }, state.bytes);
      limit.set({ stream }, config.max_bytes);
      reach.set({ stream }, ageOfOldest(state) / 1000);
    }
    return 'done';
  });
}

function ageOfOldest({ messages, first_ts: firstAt }: StreamInfo['state']): number {
  return messages === 0 ? 0 : Date.now() - new Date(firstAt).getTime();
}
