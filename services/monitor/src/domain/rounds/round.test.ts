import type { CheckOutcome } from '@tocsin/enums';
import { expect, test } from 'vitest';
import { describeVotes, type OpenRound, vote } from './round.ts';

const REGIONS = ['a', 'b', 'c', 'd'];
const DEADLINE = new Date('2026-11-20T10:00:30Z');
const BEFORE = new Date('2026-11-20T10:00:10Z');

function round(regions: number): OpenRound {
  return {
    monitorId: 'm',
    at: new Date('2026-11-20T10:00:00Z'),
    regions: REGIONS.slice(0, regions),
    deadline: DEADLINE,
  };
}

function outcomes(...outcomes: CheckOutcome[]) {
  return outcomes.map((outcome, index) => ({
    region: REGIONS[index] ?? '?',
    outcome,
    error: outcome === 'pass' ? '' : `was ${outcome}`,
  }));
}

test.each<[string, number, CheckOutcome[], Date, string]>([
  ['a pass in the only region decides', 1, ['pass'], BEFORE, 'pass'],
  ['a failure in the only region decides', 1, ['error'], BEFORE, 'fail'],
  ['a round without any result is not decided before the deadline', 1, [], BEFORE, 'waiting'],
  ['a round without any result is undecided at the deadline', 1, [], DEADLINE, 'undecided'],
  ['two failures in three regions decide', 3, ['fail', 'timeout'], BEFORE, 'fail'],
  ['two passes in three regions decide', 3, ['pass', 'pass'], BEFORE, 'pass'],
  ['one result from three regions does not decide before the deadline', 3, ['fail'], BEFORE, 'waiting'],
  ['one result from three regions does not decide at the deadline', 3, ['fail'], DEADLINE, 'undecided'],
  ['a tie of regions counts as a failure', 2, ['pass', 'fail'], BEFORE, 'fail'],
  ['results from half of the expected regions decide at the deadline', 2, ['pass'], DEADLINE, 'pass'],
  [
    'two passes in four regions do not decide before the deadline, because a tie would be a failure',
    4,
    ['pass', 'pass'],
    BEFORE,
    'waiting',
  ],
  ['two passes in four regions decide at the deadline', 4, ['pass', 'pass'], DEADLINE, 'pass'],
  ['two failures in four regions decide at once, because a tie is a failure', 4, ['fail', 'fail'], BEFORE, 'fail'],
  ['an unknown outcome is not counted as a response', 2, ['unknown', 'pass'], BEFORE, 'pass'],
  [
    'two passes and an unknown outcome decide, because another failure would not change the vote',
    4,
    ['pass', 'pass', 'unknown'],
    BEFORE,
    'pass',
  ],
  [
    'one pass and two unknown outcomes in four regions do not decide before the deadline',
    4,
    ['pass', 'unknown', 'unknown'],
    BEFORE,
    'waiting',
  ],
  ['a round with only unknown outcomes is undecided', 2, ['unknown', 'unknown'], BEFORE, 'undecided'],
])('in the vote of a round, %s', (_name, regions, votes, now, expected) => {
  expect(vote(round(regions), outcomes(...votes), now)).toBe(expected);
});

test('a result from an unexpected region does not count toward the vote', () => {
  expect(vote(round(1), [{ region: 'elsewhere', outcome: 'fail', error: 'x' }], BEFORE)).toBe('waiting');
});

test.each<[string, number, CheckOutcome[], string]>([
  ['failures in all regions', 3, ['fail', 'timeout', 'error'], '3 of 3 regions failed'],
  ['two failures before the third result', 3, ['fail', 'fail'], '2 of 3 regions failed'],
  ['a failure in the only region', 1, ['timeout'], '1 of 1 region failed'],
  ['a tie', 2, ['pass', 'fail'], '1 of 2 regions failed (a tie counts as a failure)'],
  [
    'a tie with a missing result',
    3,
    ['pass', 'fail'],
    '1 of 2 regions that responded failed (a tie counts as a failure)',
  ],
  [
    'a tie with an unknown outcome',
    3,
    ['unknown', 'fail', 'pass'],
    '1 of 2 regions that responded failed (a tie counts as a failure)',
  ],
  ['two failures with two missing results', 4, ['fail', 'fail'], '2 of 4 regions failed (a tie counts as a failure)'],
])('describeVotes() states how many regions failed in a round with %s', (_name, regions, votes, expected) => {
  expect(describeVotes(round(regions), outcomes(...votes)).votes).toBe(expected);
});

test('describeVotes() returns the error that most regions reported', () => {
  const seen = [
    { region: 'a', outcome: 'timeout' as const, error: 'no response within 10000 ms' },
    { region: 'b', outcome: 'fail' as const, error: 'status 502, expected 200' },
    { region: 'c', outcome: 'fail' as const, error: 'status 502, expected 200' },
    { region: 'elsewhere', outcome: 'fail' as const, error: 'x' },
  ];
  expect(describeVotes(round(3), seen)).toEqual({ votes: '3 of 3 regions failed', error: 'status 502, expected 200' });
});
