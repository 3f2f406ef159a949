import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketOf, countOf, quantileOf, RELATIVE_ERROR, type TimeSketch } from './time-sketch.ts';

function sketchOf(times: readonly number[]): TimeSketch {
  const sketch = new Map<number, number>();
  for (const time of times) sketch.set(bucketOf(time), (sketch.get(bucketOf(time)) ?? 0) + 1);
  return sketch;
}

test('every quantile differs from the exact quantile by at most RELATIVE_ERROR', () => {
  const times = fc.array(fc.double({ min: 0.01, max: 120_000, noNaN: true }), { minLength: 1, maxLength: 200 });
  const quantile = fc.double({ min: 0.01, max: 0.99, noNaN: true });
  fc.assert(
    fc.property(times, quantile, (all, q) => {
      const exact = all.toSorted((a, b) => a - b)[Math.floor(q * (all.length - 1))] ?? 0;
      const estimate = quantileOf(sketchOf(all), q) ?? 0;
      // The bound is slightly higher than the relative error, because logarithms are rounded.
      expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(exact * (RELATIVE_ERROR + 1e-9));
    }),
  );
});

test('an empty sketch has no quantile', () => {
  expect(quantileOf(new Map(), 0.95)).toBeUndefined();
  expect(countOf(new Map())).toBe(0);
});

test('a response time of zero is counted in the bucket of SHORTEST_MS', () => {
  expect(quantileOf(sketchOf([0]), 0.5)).toBeCloseTo(0.001, 4);
});
