import { backoff, pause } from './backoff.ts';
import type { Runtime } from './runtime.ts';

/**
 * Outcome of a run: there is more work now (`again`), there is no known work (`done`), or there is work in `dueInMs`
 * milliseconds.
 */
export type LoopOutcome = 'again' | 'done' | { readonly dueInMs: number };

/** Intervals from this length on end together with those of other loops, in milliseconds. */
const TOGETHER_FROM_MS = 500;

/** Time by which a timer may fire early, in milliseconds. */
const EARLY_MS = 20;

/**
 * Returns the length of a pause in milliseconds. Pauses of the same interval end at the same time, at a multiple of the
 * interval, because waking an idle process once for several loops costs less than waking it for each.
 */
export function pauseBefore(intervalMs: number, now = performance.now()): number {
  if (intervalMs < TOGETHER_FROM_MS) return intervalMs;
  return Math.floor((now + intervalMs + EARLY_MS) / intervalMs) * intervalMs - now;
}

/**
 * Runs `work` repeatedly with pauses of about `intervalMs` at most, or without a pause while it returns `again`. A
 * failure is logged and retried with growing delays. Disposing waits for the current run.
 */
export function startLoop(
  what: string,
  intervalMs: number,
  runtime: Runtime,
  work: (signal: AbortSignal) => Promise<LoopOutcome>,
): AsyncDisposable {
  const stop = new AbortController();
  const running = (async () => {
    for (let failures = 0; !stop.signal.aborted; ) {
      try {
        const outcome = await work(stop.signal);
        failures = 0;
        if (outcome === 'again') continue;
        const dueInMs = outcome === 'done' ? pauseBefore(intervalMs) : Math.min(intervalMs, outcome.dueInMs);
        await pause(dueInMs, stop.signal);
      } catch (error) {
        if (stop.signal.aborted) return;
        failures += 1;
        const message = error instanceof Error ? error.message : String(error);
        runtime.logger.warn({ err: error }, `${what} failed and will be tried again: ${message}`);
        await pause(Math.max(intervalMs, backoff(failures)), stop.signal);
      }
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
