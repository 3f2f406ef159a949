import { expect, test } from 'vitest';
import { eventually } from './eventually.ts';

test('eventually() repeats an assertion until it succeeds, and returns its value', async () => {
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

test('eventually() throws the last error of an assertion that never succeeds', async () => {
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
