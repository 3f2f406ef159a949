import { expect, test } from 'vitest';
import { isFresh, isUseWorthRecording } from './session.ts';

const now = new Date('2026-11-23T12:00:00Z');
const ago = (ms: number) => new Date(now.getTime() - ms);

test('a use of a session is recorded only if the last recorded use is at least an hour old', () => {
  const used = (ms: number) => isUseWorthRecording({ lastUsedAt: ago(ms) }, now);
  expect([used(3_599_999), used(3_600_000)]).toEqual([false, true]);
});

test("a sign-in is fresh for less than 15 minutes after the user's identity was verified", () => {
  const fresh = (ms: number) => isFresh({ provedAt: ago(ms) }, now);
  expect([fresh(899_999), fresh(900_000)]).toEqual([true, false]);
});

test("a sign-in is never fresh if the provider does not state when it verified the user's identity", () => {
  expect(isFresh({ provedAt: undefined }, now)).toBe(false);
});
