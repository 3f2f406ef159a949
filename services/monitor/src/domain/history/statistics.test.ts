import { expect, test } from 'vitest';
import { responseTimesOf, uptimeOf } from './statistics.ts';
import { bucketOf } from './time-sketch.ts';

const none = { pass: 0, fail: 0, error: 0, timeout: 0 };

test('the uptime is the unweighted mean over the regions, and the counts are sums over the regions', () => {
  const regions = [
    { ...none, pass: 2, fail: 1 },
    { pass: 96, fail: 1, error: 2, timeout: 1 },
  ];
  expect(uptimeOf(regions)).toEqual({
    percent: 81.33,
    distribution: { pass: 98, fail: 2, error: 2, timeout: 1, total: 103 },
  });
});

test('a region without checks does not affect the uptime', () => {
  expect(uptimeOf([none, { ...none, pass: 1 }]).percent).toBe(100);
});

test('if there are no checks, the uptime is undefined', () => {
  expect(uptimeOf([])).toEqual({ percent: undefined, distribution: { ...none, total: 0 } });
});

test('the regions are listed by their p95, slowest first, and the total p95 is the mean over the regions', () => {
  const { p95, locations } = responseTimesOf(
    new Map([
      ['fast', new Map([[bucketOf(100), 10]])],
      ['slow', new Map([[bucketOf(300), 4]])],
      ['silent', new Map()],
    ]),
  );
  expect(locations.map(({ location, checks }) => [location, checks])).toEqual([
    ['slow', 4],
    ['fast', 10],
  ]);
  expect(p95).toBeGreaterThan(196);
  expect(p95).toBeLessThan(204);
  expect(p95).toBe(Math.round((p95 ?? 0) * 10) / 10);
});

test('if no check passed, the list of response times is empty and p95 is undefined', () => {
  expect(responseTimesOf(new Map())).toEqual({ p95: undefined, locations: [] });
});
