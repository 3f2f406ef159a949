import { backoff, pause } from './backoff.ts';
import type { Runtime } from './runtime.ts';

/**
 * Runs `work` repeatedly with pauses of `intervalMs`, or without a pause while it returns `again`. A failure is logged
 * and retried with growing delays. Disposing waits for the current run.
 */
export function startLoop(
  what: string,
  intervalMs: number,
  runtime: Runtime,
  work: (signal: AbortSignal) => Promise<'again' | 'done'>,
): AsyncDisposable {
  const stop = new AbortController();
  const running = (async () => {
    for (let failures = 0; !stop.signal.aborted; ) {
      try {
        const outcome = await work(stop.signal);
        failures = 0;
        if (outcome === 'done') await pause(intervalMs, stop.signal);
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
