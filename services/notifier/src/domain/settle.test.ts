import { describe, expect, test } from 'vitest';
import type { Outcome } from './outcome.ts';
import { asTransient, outcomeForChannel, settle } from './settle.ts';

const now = new Date('2026-01-01T00:00:00Z');
const failed: Outcome = { kind: 'failed', error: 'the receiver answered 500', httpStatus: 500 };
const refused: Outcome = { kind: 'refused', error: 'the receiver answered 410', httpStatus: 410 };
const blocked: Outcome = { kind: 'blocked', error: '10.0.0.1 is not a public address' };
const delivered: Outcome = { kind: 'delivered', httpStatus: 204 };

function waitAfter(outcome: Outcome, attempt: number, random = 0.5): number | string {
  const settlement = settle(outcome, { attempt, now, retryBaseMs: 2_000, random });
  return settlement.kind === 'retry' ? settlement.at.getTime() - now.getTime() : settlement.kind;
}

describe('after an attempt', () => {
  test.each([
    ['the first failure', 1, 2_000],
    ['the second', 2, 12_000],
    ['the third', 3, 72_000],
    ['the fourth', 4, 'given_up'],
  ])('%s waits ever longer, and then no more', (_, attempt, expected) => {
    expect(waitAfter(failed, attempt)).toBe(expected);
  });

  test('jitter is a quarter to either side', () => {
    expect([waitAfter(failed, 1, 0), waitAfter(failed, 1, 1)]).toEqual([1_500, 2_500]);
  });

  test.each([
    ['longer than the backoff is honoured', 30_000, 30_000],
    ['shorter than the backoff changes nothing', 500, 2_000],
    ['of a day is an hour', 86_400_000, 3_600_000],
  ])('a retry-after %s', (_, retryAfterMs, expected) => {
    expect(waitAfter({ ...failed, retryAfterMs }, 1)).toBe(expected);
  });

  test.each([
    ['a yes', delivered, 'sent'],
    ['a refusal', refused, 'given_up'],
    ['a blocked address', blocked, 'given_up'],
  ])('%s is final at once', (_, outcome, expected) => {
    expect(waitAfter(outcome, 1)).toBe(expected);
  });
});

describe('a channel whose delivery was given up', () => {
  test('is broken by a refusal at once', () => {
    expect(outcomeForChannel(refused, 0)).toEqual({ failedAlerts: 1, broken: 'the receiver answered 410' });
  });

  test('is broken by the third failed alert in a row', () => {
    expect(outcomeForChannel(failed, 0)).toEqual({ failedAlerts: 1 });
    expect(outcomeForChannel(blocked, 1)).toEqual({ failedAlerts: 2 });
    const { broken } = outcomeForChannel(failed, 2);
    expect(broken).toBe('3 alerts in a row could not be delivered; the last time: the receiver answered 500');
  });

  test('is not broken because its receiver was busy', () => {
    expect(outcomeForChannel({ kind: 'failed', error: 'busy', httpStatus: 429 }, 2)).toEqual({ failedAlerts: 2 });
  });

  test('starts anew with every alert that gets through', () => {
    expect(outcomeForChannel(delivered, 2)).toEqual({ failedAlerts: 0 });
  });

  test('is not to blame for what happened before it was mended', () => {
    expect(asTransient(refused)).toEqual({ kind: 'failed', error: 'the receiver answered 410', httpStatus: 410 });
    expect(asTransient(blocked)).toMatchObject({ kind: 'failed' });
    expect(asTransient(delivered)).toBe(delivered);
  });
});
