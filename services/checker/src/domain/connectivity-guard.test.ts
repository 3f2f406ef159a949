import type { CheckOutcome } from '@tocsin/enums';
import { expect, test } from 'vitest';
import { discountLag, needsConfirmation, notConnected } from './connectivity-guard.ts';
import type { Observation } from './observation.ts';

const seen = (outcome: CheckOutcome): Observation => ({ outcome, error: 'its words', phases: { total: 1_000 } });

test.each<[CheckOutcome, boolean]>([
  ['pass', false],
  ['fail', false],
  ['error', true],
  ['timeout', true],
  ['unknown', false],
])('an outcome of %s has to be confirmed: %s', (outcome, doubtful) => {
  expect(needsConfirmation(seen(outcome))).toBe(doubtful);
});

test('any failure is reported as unknown while the checker has no connection', () => {
  expect(notConnected({ ...seen('error'), statusCode: 502 })).toEqual({
    outcome: 'unknown',
    error: 'this checker has lost its own connection: what it saw says nothing about the target',
    phases: { total: 1_000 },
  });
});

test.each<[CheckOutcome, number, CheckOutcome]>([
  ['timeout', 199, 'timeout'],
  ['timeout', 200, 'unknown'],
  ['error', 199, 'error'],
  ['error', 200, 'unknown'],
  ['fail', 900, 'fail'],
  ['pass', 900, 'pass'],
])(
  'outcome %s of a one-second check with %d ms of event-loop lag is reported as %s',
  (outcome, stalledMs, reported) => {
    expect(discountLag(seen(outcome), stalledMs, 1_000).outcome).toBe(reported);
  },
);

test.each<[number, CheckOutcome]>([
  [0, 'fail'],
  [399, 'fail'],
  [400, 'unknown'],
])(
  'a response after 1000 ms instead of 600, with %d ms of event-loop lag, is reported as %s',
  (stalledMs, reported) => {
    expect(discountLag({ ...seen('fail'), maxResponseTimeMs: 600 }, stalledMs, 60_000).outcome).toBe(reported);
  },
);
