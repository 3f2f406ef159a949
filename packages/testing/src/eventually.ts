import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats an assertion until it succeeds, and returns its value.
 * @throws the last error of the assertion if it still fails at the deadline.
 */
export async function eventually<Value>(
  assertion: () => Value | Promise<Value>,
  { timeoutMs = 20_000, intervalMs = 25 }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await sleep(intervalMs);
  }
}
