import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FullSubscriptions } from './full-subscriptions.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('full subscriptions are remembered for a second after they were counted, each organization on its own', () => {
  const full = new FullSubscriptions();
  full.add('acme', ['a', 'b']);
  vi.advanceTimersByTime(600);
  full.add('acme', ['a', 'b']);
  full.add('other', ['c']);
  vi.advanceTimersByTime(399);
  expect([full.of('acme'), full.of('other')]).toEqual([['a', 'b'], ['c']]);
  vi.advanceTimersByTime(1);
  expect([full.of('acme'), full.of('other')]).toEqual([[], ['c']]);
  full.add('acme', []);
  expect(full.of('acme')).toEqual([]);
});
