import { expect, test } from 'vitest';
import { DEFAULT_CALM_CHANGES, flappingUntil } from './flapping.ts';

const minutes = (...values: number[]) => values.map((minute) => new Date(minute * 60_000));

test.each([
  ['no change', minutes(), undefined],
  ['four changes at once', minutes(0, 0, 0, 0), undefined],
  ['five changes at once', minutes(0, 0, 0, 0, 0), 15],
  ['five changes within less than 15 minutes, in any order', minutes(14.9, 0, 3, 5, 1), 15],
  ['five changes in exactly 15 minutes', minutes(15, 9, 6, 3, 0), undefined],
  ['six changes, of which the last five count', minutes(20, 18, 16, 12, 10, 0), 25],
])('a monitor is flapping until the oldest of its last five changes is 15 minutes old: %s', (_, changes, until) => {
  expect(flappingUntil(changes, DEFAULT_CALM_CHANGES)).toEqual(
    until === undefined ? undefined : new Date(until * 60_000),
  );
});
