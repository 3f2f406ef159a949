import { expect, test } from 'vitest';
import { FailedCredentials } from './failed-credentials.ts';

const NOW = 1_000_000;

test('an address may fail as often as the limit says, and once more a minute later', () => {
  const failed = new FailedCredentials(2);
  expect(failed.retryAfter('192.0.2.1', NOW)).toBeUndefined();
  failed.record('192.0.2.1', NOW);
  expect(failed.retryAfter('192.0.2.1', NOW)).toBeUndefined();
  failed.record('192.0.2.1', NOW + 10_000);
  expect(failed.retryAfter('192.0.2.1', NOW + 20_000)).toBe(40);
  expect(failed.retryAfter('192.0.2.1', NOW + 59_999)).toBe(1);
  expect(failed.retryAfter('192.0.2.1', NOW + 60_000)).toBeUndefined();
});

test('other addresses are not affected', () => {
  const failed = new FailedCredentials(1);
  failed.record('192.0.2.1', NOW);
  expect(failed.retryAfter('192.0.2.1', NOW)).toBe(60);
  expect(failed.retryAfter('192.0.2.2', NOW)).toBeUndefined();
});

test('0 is no limit', () => {
  const failed = new FailedCredentials(0);
  for (let count = 0; count < 1_000; count += 1) failed.record('192.0.2.1', NOW);
  expect(failed.retryAfter('192.0.2.1', NOW)).toBeUndefined();
});

test('a clock that jumps back starts a new minute', () => {
  const failed = new FailedCredentials(1);
  failed.record('192.0.2.1', NOW);
  expect(failed.retryAfter('192.0.2.1', NOW - 3_600_000)).toBeUndefined();
});
