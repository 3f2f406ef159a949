import { expect, test } from 'vitest';
import { validFor } from './valid-for.ts';

const NOW = new Date('2026-01-20T12:00:00Z');
const after = (ms: number) => new Date(NOW.getTime() + ms);
const DAYS_14 = 14 * 24 * 3_600_000;
const past = { startedAt: after(-DAYS_14 - 1), endsAt: undefined, resolvedAt: undefined };

test.each([
  ['no coming change', NOW, [past], 60_000],
  ['midnight in a minute', new Date('2026-01-20T23:59:00Z'), [], 60_000],
  ['midnight in a second', new Date('2026-01-20T23:59:59Z'), [], 1_000],
  ['midnight now', new Date('2026-01-21T00:00:00Z'), [], 60_000],
  ['a start after 59 seconds', NOW, [{ ...past, startedAt: after(59_000) }], 59_000],
  ['a start after 61 seconds', NOW, [{ ...past, startedAt: after(61_000) }], 60_000],
  ['a start now', NOW, [{ ...past, startedAt: NOW }], 60_000],
  ['a planned end after a millisecond', NOW, [{ ...past, endsAt: after(1) }], 1],
  ['an end that will be 14 days ago in 5 seconds', NOW, [{ ...past, resolvedAt: after(5_000 - DAYS_14) }], 5_000],
  ['an end more than 14 days ago', NOW, [{ ...past, resolvedAt: after(-1 - DAYS_14) }], 60_000],
  ['several coming changes', NOW, [past, { ...past, startedAt: after(9), endsAt: after(7) }, past], 7],
])('a page is valid until its next change, but at most for a minute: %s', (_, now, disruptions, expected) =>
  expect(validFor(disruptions, now)).toBe(expected),
);

test('a page is valid at most until the next of the additional times', () => {
  expect(validFor([], NOW, [after(9_000), after(-1), after(90_000)])).toBe(9_000);
});
