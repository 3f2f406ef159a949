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
  ['one region with a pass', 1, ['pass'], BEFORE, 'pass'],
  ['one region with a failure', 1, ['error'], BEFORE, 'fail'],
  ['one region without a result before the deadline', 1, [], BEFORE, 'waiting'],
  ['one region without a result at the deadline', 1, [], DEADLINE, 'undecided'],
  ['two failures of three regions decide', 3, ['fail', 'timeout'], BEFORE, 'fail'],
  ['two passes of three regions decide', 3, ['pass', 'pass'], BEFORE, 'pass'],
  ['one result of three regions does not decide before the deadline', 3, ['fail'], BEFORE, 'waiting'],
  ['one result of three regions does not decide at the deadline', 3, ['fail'], DEADLINE, 'undecided'],
  ['a tie of regions counts as a failure', 2, ['pass', 'fail'], BEFORE, 'fail'],
  ['half of the expected regions can decide', 2, ['pass'], DEADLINE, 'pass'],
  [
    'two passes of four regions do not decide, because a tie would be a failure',
    4,
    ['pass', 'pass'],
    BEFORE,
    'waiting',
  ],
  ['two passes of four regions decide at the deadline', 4, ['pass', 'pass'], DEADLINE, 'pass'],
  ['two failures of four regions decide at once, because a tie is a failure', 4, ['fail', 'fail'], BEFORE, 'fail'],
  ['an unknown outcome is not counted as a response', 2, ['unknown', 'pass'], BEFORE, 'pass'],
  [
    'two passes and an unknown outcome decide, because another failure would not change the vote',
    4,
    ['pass', 'pass', 'unknown'],
    BEFORE,
    'pass',
  ],
  [
    'two unknown outcomes do not decide, because too few regions may respond',
    4,
    ['pass', 'unknown', 'unknown'],
    BEFORE,
    'waiting',
  ],
  ['only unknown outcomes decide nothing', 2, ['unknown', 'unknown'], BEFORE, 'undecided'],
])('vote: %s', (_name, regions, votes, now, expected) => {
  expect(vote(round(regions), outcomes(...votes), now)).toBe(expected);
});

test('a result of a region that is not expected does not count', () => {
  expect(vote(round(1), [{ region: 'elsewhere', outcome: 'fail', error: 'x' }], BEFORE)).toBe('waiting');
});

test.each<[string, number, CheckOutcome[], string]>([
  ['failures in all regions', 3, ['fail', 'timeout', 'error'], '3 of 3 regions failed'],
  ['two failures before the third result', 3, ['fail', 'fail'], '2 of 3 regions failed'],
  ['one region', 1, ['timeout'], '1 of 1 region failed'],
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
])('describing votes: %s', (_name, regions, votes, expected) => {
  expect(describeVotes(round(regions), outcomes(...votes)).votes).toBe(expected);
});

test('the described error is the most frequent one', () => {
  const seen = [
    { region: 'a', outcome: 'timeout' as const, error: 'no response within 10000 ms' },
    { region: 'b', outcome: 'fail' as const, error: 'status 502, expected 200' },
    { region: 'c', outcome: 'fail' as const, error: 'status 502, expected 200' },
    { region: 'elsewhere', outcome: 'fail' as const, error: 'x' },
  ];
  expect(describeVotes(round(3), seen)).toEqual({ votes: '3 of 3 regions failed', error: 'status 502, expected 200' });
});
