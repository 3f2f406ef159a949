import { setTimeout as sleep } from 'node:timers/promises';
import type { Ping } from './evidence.ts';

/** A job that pings its heartbeat monitor, and can be paused. */
export interface PingingJob extends AsyncDisposable {
  readonly pings: readonly Ping[];
  pause(): void;
  resume(): void;
}

/** Milliseconds after a successful ping until the next one. The service accepts at most six pings per minute. */
const EVERY_MS = 12_500;
/** Milliseconds after a failed ping until it is repeated. */
const AGAIN_MS = 2_500;
const TIMEOUT_MS = 5_000;

export function startPingingJob(url: string): PingingJob {
  const pings: Ping[] = [];
  const stop = new AbortController();
  let isPaused = false;

  async function ping(): Promise<boolean> {
    const sentAt = Date.now();
    const sent = await send(url);
    if (sent !== 'refused') pings.push({ sentAt, endedAt: Date.now(), isConfirmed: sent === 'confirmed' });
    return sent === 'confirmed';
  }
  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      const isDone = isPaused || (await ping());
      await sleep(isPaused ? 250 : isDone ? EVERY_MS : AGAIN_MS, undefined, { signal: stop.signal }).catch(
        () => undefined,
      );
    }
  }
  const running = run();
  return {
    pings,
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** Sends a ping. If it is refused, the gateway was not running, and has certainly not received it. */
async function send(url: string): Promise<'confirmed' | 'uncertain' | 'refused'> {
  try {
    const response = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    return response.ok ? 'confirmed' : 'uncertain';
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    return cause?.code === 'ECONNREFUSED' ? 'refused' : 'uncertain';
  }
}
