import { describe, expect, test } from 'vitest';
import type { FailedOutcome } from './outcome.ts';
import { asTransient, breaksAt, isChannelFailure, settle } from './settle.ts';

const now = new Date('2026-01-01T00:00:00Z');
const failed: FailedOutcome = { kind: 'failed', error: 'the receiver returned 500', httpStatus: 500 };
const refused: FailedOutcome = { kind: 'refused', error: 'the receiver returned 410', httpStatus: 410 };
const blocked: FailedOutcome = { kind: 'blocked', error: '10.0.0.1 is not a public address' };

const busy: FailedOutcome = { kind: 'failed', error: 'the receiver returned 429', httpStatus: 429 };
const context = { now, createdAt: now, retryBaseMs: 2_000, pauseMs: 30_000, random: 0.5 };

function waitAfter(outcome: FailedOutcome, attempt: number, random = 0.5): number | string {
  const settlement = settle(outcome, { ...context, attempt, random });
  return settlement.kind === 'retry' ? settlement.at.getTime() - now.getTime() : settlement.kind;
}

describe('a failed attempt', () => {
  test.each([
    [1, 2_000],
    [2, 10_000],
    [3, 60_000],
    [4, 300_000],
    [5, 900_000],
    [6, 900_000],
    [90, 900_000],
  ])('failed attempt number %i is retried after %i ms', (attempt, expected) => {
    expect(waitAfter(failed, attempt)).toBe(expected);
  });

  test('jitter lengthens or shortens the delay before a retry by at most 20 %', () => {
    expect([waitAfter(failed, 1, 0), waitAfter(failed, 1, 1)]).toEqual([1_600, 2_400]);
  });

  test('an alert is retried for at most 24 hours', () => {
    const ageOf = (ms: number) => new Date(now.getTime() - ms);
    const day = 24 * 3_600_000;
    const at = (createdAt: Date) => settle(failed, { ...context, attempt: 9, createdAt }).kind;
    expect(at(ageOf(day - 900_000))).toBe('retry');
    expect(at(ageOf(day - 899_999))).toBe('given_up');
  });

  test.each([
    ['that is longer than the backoff is the requested time', 30_000, 30_000],
    ['that is shorter than the backoff is the backoff', 500, 2_000],
    ['of a day is limited to an hour', 86_400_000, 3_600_000],
  ])('the delay after a retry-after header %s', (_, retryAfterMs, expected) => {
    expect(waitAfter({ ...failed, retryAfterMs }, 1)).toBe(expected);
  });

  test.each([
    ['with a time to wait', 5_000, 5_000],
    ['without a time to wait', undefined, 30_000],
  ])('a 429 response %s pauses the channel and does not count as an attempt', (_, retryAfterMs, expected) => {
    const at = new Date(now.getTime() + expected);
    const { error } = busy;
    expect(settle({ ...busy, retryAfterMs }, { ...context, attempt: 40 })).toEqual({ kind: 'pause', at, error });
  });

  test.each([
    ['a refusal', refused, 'given_up'],
    ['a blocked address', blocked, 'given_up'],
  ])('an attempt with the outcome "%s" is not retried', (_, outcome, expected) => {
    expect(waitAfter(outcome, 1)).toBe(expected);
  });
});

describe('a channel', () => {
  test.each([
    [failed, true],
    [refused, true],
    [blocked, true],
    [busy, false],
    [{ ...failed, isOurs: true }, false],
    [{ ...failed, reached: ['mark'] }, false],
    [{ kind: 'unable', error: 'no SMTP' }, false],
  ] satisfies [FailedOutcome, boolean][])('a channel counts the outcome %j as a failure: %s', (outcome, expected) => {
    expect(isChannelFailure(outcome)).toBe(expected);
  });

  test('a channel counts as broken no earlier than an hour after its first failure', () => {
    expect(breaksAt(now, 2_000).getTime() - now.getTime()).toBe(3_600_000);
  });

  test('a refusal is retryable if the channel was changed during the attempt', () => {
    expect(asTransient(refused)).toEqual({ kind: 'failed', error: 'the receiver returned 410', httpStatus: 410 });
    expect(asTransient(blocked)).toMatchObject({ kind: 'failed' });
  });
});
