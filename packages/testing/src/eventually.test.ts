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

test('eventually() checks an assertion less often after two seconds', async () => {
  const begin = performance.now();
  let late = 0;
  const hopeless = eventually(
    () => {
      if (performance.now() > begin + 2_100) late += 1;
      throw new Error('never');
    },
    { timeoutMs: 3_000 },
  );
  await expect(hopeless).rejects.toThrow('never');
  expect(late).toBeGreaterThan(1);
  expect(late).toBeLessThan(15);
});
