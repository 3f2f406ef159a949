import { expect, test } from 'vitest';
import { isFresh, isUseWorthRecording } from './session.ts';

const now = new Date('2026-11-23T12:00:00Z');
const ago = (ms: number) => new Date(now.getTime() - ms);
const device = { address: '192.0.2.1', userAgent: 'Firefox' };

test('a use is recorded when the last recorded one is an hour old', () => {
  const used = (ms: number) => isUseWorthRecording({ id: '1', device, createdAt: ago(ms), lastUsedAt: ago(ms) }, now);
  expect([used(3_599_999), used(3_600_000)]).toEqual([false, true]);
});

test('a sign-in is fresh for less than 15 minutes, however often the session is used', () => {
  const fresh = (ms: number) => isFresh({ id: '1', device, createdAt: ago(ms), lastUsedAt: now }, now);
  expect([fresh(899_999), fresh(900_000)]).toEqual([true, false]);
});
