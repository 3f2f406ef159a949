import { expect, test } from 'vitest';
import { durationMs } from './duration.ts';

test.each([
  ['90', 90_000],
  ['90s', 90_000],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['2d', 172_800_000],
])('%s is %i ms', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

test.each(['', '5x', 'm', '-5m', '5 m', '1.5h'])('%j is refused as a duration', (text) => {
  expect(() => durationMs(text)).toThrow('is not a duration such as 90s');
});
