import { expect, test } from 'vitest';
import { manualClock } from './manual-clock.ts';

test('a manual clock moves only when a test advances it', () => {
  const clock = manualClock('2026-11-20T10:00:00Z');
  const before = clock.now();
  clock.advance(1_500);
  expect(before.toISOString()).toBe('2026-11-20T10:00:00.000Z');
  expect(clock.now().toISOString()).toBe('2026-11-20T10:00:01.500Z');
  clock.advance(-1_500);
  expect(clock.now()).toEqual(before);
});
