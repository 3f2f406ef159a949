import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { suspendClock } from './suspend-clock.ts';

const START = new Date('2026-01-10T12:00:00Z');
const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

test('the clock counts elapsed time', () => {
  const clock = suspendClock();
  vi.advanceTimersByTime(1_500);
  expect(clock.now()).toBe(1_500);
});

test('the clock counts the time of a suspension, in which only the wall clock advances', () => {
  const clock = suspendClock();
  vi.setSystemTime(START.getTime() + HOUR_MS);
  expect(clock.now()).toBe(HOUR_MS);
});

test('the clock goes on when the wall clock is set back', () => {
  const clock = suspendClock();
  vi.setSystemTime(START.getTime() - HOUR_MS);
  vi.advanceTimersByTime(10);
  expect(clock.now()).toBe(10);
  vi.advanceTimersByTime(10);
  expect(clock.now()).toBe(20);
});
