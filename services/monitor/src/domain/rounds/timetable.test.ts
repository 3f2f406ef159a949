import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { catchUpTimeOf, limitsOf, offsetOf, roundTimeOf } from './timetable.ts';

test('the offset of a monitor is fixed, and offsets are spread evenly over the interval', () => {
  const ids = Array.from({ length: 6_000 }, () => v7());
  expect(offsetOf(ids[0] ?? '', 60)).toBe(offsetOf(ids[0] ?? '', 60));
  const perSecond = Array.from({ length: 60 }, () => 0);
  for (const id of ids) {
    const second = Math.floor(offsetOf(id, 60));
    perSecond[second] = (perSecond[second] ?? 0) + 1;
  }
  // The expected count per second is 100, and the bound is eight standard deviations.
  for (const count of perSecond) expect(Math.abs(count - 100)).toBeLessThan(80);
  expect(perSecond).toHaveLength(60);
});

test("a monitor's offset has millisecond precision", () => {
  const offset = offsetOf('01920000-0000-7000-8000-0000000186a1', 30);
  // The last 48 bits of the id are 100,001. 100,001 ms are three intervals of 30 s plus 10.001 s.
  expect(offset).toBe(10.001);
});

test('even a check that starts as late as possible can use its full timeout before the deadline of the round', () => {
  const roundAt = new Date('2026-11-20T10:00:00Z');
  const { startBefore, deadline } = limitsOf(roundAt, 60_000);
  expect(deadline.getTime() - startBefore.getTime()).toBeGreaterThan(60_000);
});

test.each([
  [0, 0],
  [15_000, 0],
  [15_001, 15_001],
  [3_000_000, 3_000_000],
])('a delay of %d ms postpones the round by %d ms, so that checkers do not drop its jobs', (lateMs, laterMs) => {
  const dueAt = new Date('2026-03-01T12:00:00Z');
  const now = new Date(dueAt.getTime() + lateMs);
  const roundAt = roundTimeOf(dueAt, now);
  expect(roundAt.getTime() - dueAt.getTime()).toBe(laterMs);
  expect(limitsOf(roundAt, 1_000).startBefore.getTime()).toBeGreaterThanOrEqual(now.getTime());
});

test('a monitor with a short interval catches up at its next regular time', () => {
  const now = new Date('2026-03-01T12:00:00.250Z');
  const at = catchUpTimeOf({ intervalSeconds: 30, offsetSeconds: 12.345 }, now);
  expect(at).toEqual(new Date('2026-03-01T12:00:12.345Z'));
});

test('the times at which monitors catch up are in the next minute, and are spread over it', () => {
  const now = new Date('2026-03-01T12:00:00.250Z');
  const intervalSeconds = 3_600;
  const delays = Array.from({ length: 6_000 }, () => {
    const offsetSeconds = offsetOf(v7(), intervalSeconds);
    return catchUpTimeOf({ intervalSeconds, offsetSeconds }, now).getTime() - now.getTime();
  });
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...delays)).toBeLessThan(60_000);
  const perSecond = Map.groupBy(delays, (delay) => Math.floor(delay / 1_000));
  // The expected count per second is 100, and the bound is eight standard deviations.
  for (const inSecond of perSecond.values()) expect(Math.abs(inSecond.length - 100)).toBeLessThan(80);
});
