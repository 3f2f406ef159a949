import { expect, test } from 'vitest';
import { eventually } from './eventually.ts';

test('an assertion is repeated until it holds, and its value is returned', async () => {
  let attempts = 0;
  const value = await eventually(
    () => {
      attempts += 1;
      expect(attempts).toBe(3);
      return 'third';
    },
    { intervalMs: 1 },
  );
  expect(value).toBe('third');
  expect(attempts).toBe(3);
});

test('an assertion that never holds fails with what it threw last', async () => {
  let attempts = 0;
  const hopeless = eventually(
    async () => {
      attempts += 1;
      throw new Error(`attempt ${attempts}`);
    },
    { timeoutMs: 20, intervalMs: 1 },
  );
  await expect(hopeless).rejects.toThrow(/^attempt \d+$/);
  expect(attempts).toBeGreaterThan(1);
});
