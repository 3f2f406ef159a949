import { expect, test } from 'vitest';
import { firstAttemptDelayMs } from './delivery-delay.ts';

const dueAt = new Date('2026-01-01T10:00:00Z');
const now = new Date('2026-01-01T10:00:04Z');

test('the delay of a delivery is measured from the time at which it became due', () => {
  expect(firstAttemptDelayMs({ attempts: 0, slow: false, toSubscriber: false, dueAt }, now)).toBe(4_000);
});

test('retries, deliveries to receivers that are known to be slow, and emails to subscribers are not measured', () => {
  expect(firstAttemptDelayMs({ attempts: 1, slow: false, toSubscriber: false, dueAt }, now)).toBeUndefined();
  expect(firstAttemptDelayMs({ attempts: 0, slow: true, toSubscriber: false, dueAt }, now)).toBeUndefined();
  expect(firstAttemptDelayMs({ attempts: 0, slow: false, toSubscriber: true, dueAt }, now)).toBeUndefined();
});
