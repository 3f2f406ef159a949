import type { Runtime } from '@tocsin/runtime';
import { Counter, Gauge } from 'prom-client';

export type RelayMeters = ReturnType<typeof createRelayMeters>;

export function createRelayMeters({ metrics }: Pick<Runtime, 'metrics'>) {
  const registers = [metrics];
  return {
    published: new Counter({
      name: 'tocsin_outbox_published_total',
      help: 'Events published to the stream.',
      registers,
    }),
    failures: new Counter({
      name: 'tocsin_outbox_publish_failures_total',
      help: 'Publications that failed and are retried, such as those that a full stream refuses.',
      registers,
    }),
    dead: new Counter({
      name: 'tocsin_outbox_dead_total',
      help: 'Events that can never be published and were moved to dead_letter.',
      labelNames: ['type'],
      registers,
    }),
    delayed: new Gauge({
      name: 'tocsin_outbox_delayed_aggregates',
      help: 'Aggregates whose publication failed and waits for its retry.',
      registers,
    }),
    leading: new Gauge({ name: 'tocsin_outbox_relaying', help: '1 while this replica relays.', registers }),
    lag: new Gauge({
      name: 'tocsin_outbox_lag_seconds',
      help: 'Age of the oldest event that is not published yet, as of the last batch.',
      registers,
    }),
  };
}
