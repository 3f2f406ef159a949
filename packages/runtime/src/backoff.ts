import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './logger.ts';

/**
 * Returns the delay before an attempt in milliseconds; the first attempt has the number 1. The delay doubles from
 * `base` up to `limit`, with a random reduction of up to half. The result is an integer, because NATS ignores
 * fractional delays in a nak.
 */
export function backoff(attempt: number, base = 100, limit = 5_000): number {
  const full = Math.min(limit, base * 2 ** Math.min(attempt - 1, 20));
  return Math.round(full / 2 + Math.random() * (full / 2));
}

/** Waits for a number of milliseconds. Returns early when the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}

/**
 * Retries `work` until it succeeds, because a service may start before its dependencies. Logs each distinct error
 * message once.
 * @throws the last error when the signal aborts.
 */
export async function untilItWorks<Result>(
  what: string,
  { logger, signal }: { logger: Logger; signal: AbortSignal },
  work: () => Promise<Result>,
): Promise<Result> {
  let lastLogged = '';
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw error;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== lastLogged) logger.warn({ err: error }, `waiting for ${what}: ${message}`);
      lastLogged = message;
      await pause(backoff(attempt), signal);
      if (signal.aborted) throw error;
    }
  }
}
