import { setTimeout as sleep } from 'node:timers/promises';

/** Duration after which a wait is long, and the interval of its assertions, in milliseconds. */
const LONG_MS = 2_000;
const LONG_INTERVAL_MS = 100;

/**
 * Repeats an assertion until it succeeds, and returns its value. By default, the interval is 25 ms in the first two
 * seconds and 100 ms afterwards, because the assertions of long waits would take much of the processor.
 * @throws the last error of the assertion if it still fails at the deadline.
 */
export async function eventually<Value>(
  assertion: () => Value | Promise<Value>,
  { timeoutMs = 20_000, intervalMs }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<Value> {
  const start = performance.now();
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() >= start + timeoutMs) throw error;
    }
    await sleep(intervalMs ?? (performance.now() < start + LONG_MS ? 25 : LONG_INTERVAL_MS));
  }
}
