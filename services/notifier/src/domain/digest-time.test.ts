import { expect, test } from 'vitest';
import { lastDigestTime, listedSince } from './digest-time.ts';

test.each([
  ['2026-11-23T08:59:59.999Z', '2026-11-16T09:00:00.000Z'],
  ['2026-11-23T09:00:00.000Z', '2026-11-23T09:00:00.000Z'],
  ['2026-11-24T00:00:00.000Z', '2026-11-23T09:00:00.000Z'],
  ['2026-11-29T23:59:59.000Z', '2026-11-23T09:00:00.000Z'],
  ['2027-01-01T12:00:00.000Z', '2026-12-28T09:00:00.000Z'],
])('at %s the latest digest was due on Monday, %s', (now, due) => {
  expect(lastDigestTime(new Date(now)).toISOString()).toBe(due);
  expect(new Date(due).getUTCDay()).toBe(1);
});

test('a digest lists monitors that have had no channel for 7 days', () => {
  expect(listedSince(new Date('2026-11-23T09:00:00Z'))).toEqual(new Date('2026-11-16T09:00:00Z'));
});
