import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { limitsOf, offsetOf } from './timetable.ts';

test('a monitor keeps its offset, and monitors spread evenly over their interval', () => {
  const ids = Array.from({ length: 6_000 }, () => v7());
  expect(offsetOf(ids[0] ?? '', 60)).toBe(offsetOf(ids[0] ?? '', 60));
  const perSecond = Array.from({ length: 60 }, () => 0);
  for (const id of ids) perSecond[offsetOf(id, 60)] = (perSecond[offsetOf(id, 60)] ?? 0) + 1;
  // A hundred are expected in each second; eight standard deviations either side.
  for (const count of perSecond) expect(Math.abs(count - 100)).toBeLessThan(80);
});

test('a round is decided only after a check that began late could have used its whole timeout', () => {
  const roundAt = new Date('2026-11-20T10:00:00Z');
  const { startBefore, deadline } = limitsOf(roundAt, 60_000);
  expect(deadline.getTime() - startBefore.getTime()).toBeGreaterThan(60_000);
});
