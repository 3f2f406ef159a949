import { expect, test } from 'vitest';
import type { FailedOutcome } from './outcome.ts';
import { settleMessage, settleMessageOutcome } from './settle-message.ts';

const now = new Date('2026-01-01T00:00:00Z');
const waitsMs = [5_000, 300_000];
const failed: FailedOutcome = { kind: 'failed', error: 'no response', httpStatus: undefined };
const refused = (httpStatus: number): FailedOutcome => ({ kind: 'refused', error: 'no', httpStatus });

test.each([
  [1, '2026-01-01T00:00:05.000Z'],
  [2, '2026-01-01T00:05:00.000Z'],
])('after failure number %i, the next attempt is at %s', (attempt, at) => {
  expect(settleMessage(failed, { attempt, now, waitsMs })).toEqual({
    kind: 'retry',
    at: new Date(at),
    error: 'no response',
  });
});

test('after the last attempt fails, the message is given up', () => {
  expect(settleMessage(failed, { attempt: 3, now, waitsMs })).toEqual({ kind: 'given_up', error: 'no response' });
});

test.each([
  [1_000, 5_000],
  [60_000, 60_000],
  [86_400_000, 3_600_000],
])('if a receiver requests a wait of %i ms, the wait is %i ms', (retryAfterMs, givenMs) => {
  const settlement = settleMessage({ ...failed, retryAfterMs }, { attempt: 1, now, waitsMs });
  expect(settlement).toMatchObject({ at: new Date(now.getTime() + givenMs) });
});

test.each([401, 403, 404])('a message is retried after a response with status %i', (status) => {
  expect(settleMessageOutcome(refused(status)).kind).toBe('failed');
});

test('a message is not retried after a 410 response', () => {
  const outcome = settleMessageOutcome(refused(410));
  expect(settleMessage(outcome, { attempt: 1, now, waitsMs })).toEqual({ kind: 'given_up', error: 'no' });
});

test.each([
  [400, true],
  [408, false],
  [422, true],
  [425, false],
  [429, false],
  [500, true],
  [501, true],
  [502, false],
  [503, false],
  [undefined, false],
])('later messages may overtake a message after three failures with status %s: %s', (httpStatus, stepsAside) => {
  const context = { now, waitsMs: [1, 1, 1, 1] };
  const outcome: FailedOutcome = { kind: 'failed', error: 'no', httpStatus };
  expect(settleMessage(outcome, { ...context, attempt: 2 })).not.toHaveProperty('stepsAside');
  const third = settleMessage(outcome, { ...context, attempt: 3 });
  expect('stepsAside' in third).toBe(stepsAside);
});
