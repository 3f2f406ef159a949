import { expect, test } from 'vitest';
import { describeVotes, type OpenRound, type Outcome, vote } from './round.ts';

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

function answers(...outcomes: Outcome[]) {
  return outcomes.map((outcome, index) => ({
    region: REGIONS[index] ?? '?',
    outcome,
    error: outcome === 'pass' ? '' : `was ${outcome}`,
  }));
}

test.each<[string, number, Outcome[], Date, string]>([
  ['one region that passes', 1, ['pass'], BEFORE, 'pass'],
  ['one region that fails', 1, ['error'], BEFORE, 'fail'],
  ['one region that is silent so far', 1, [], BEFORE, 'waiting'],
  ['one region that stayed silent', 1, [], DEADLINE, 'undecided'],
  ['two of three failures are enough', 3, ['fail', 'timeout'], BEFORE, 'fail'],
  ['two of three passes are enough', 3, ['pass', 'pass'], BEFORE, 'pass'],
  ['one of three waits for the others', 3, ['fail'], BEFORE, 'waiting'],
  ['one of three is less than half', 3, ['fail'], DEADLINE, 'undecided'],
  ['a tie of regions counts as a failure', 2, ['pass', 'fail'], BEFORE, 'fail'],
  ['half of the expected regions may decide', 2, ['pass'], DEADLINE, 'pass'],
  ['two of four passes wait: a tie would be a failure', 4, ['pass', 'pass'], BEFORE, 'waiting'],
  ['two of four passes decide when nobody else answered', 4, ['pass', 'pass'], DEADLINE, 'pass'],
  ['two of four failures decide at once: even a tie fails', 4, ['fail', 'fail'], BEFORE, 'fail'],
  ['a checker that doubts itself is no answer', 2, ['unknown', 'pass'], BEFORE, 'pass'],
  ['only doubts decide nothing', 2, ['unknown', 'unknown'], BEFORE, 'undecided'],
])('%s', (_name, regions, outcomes, now, expected) => {
  expect(vote(round(regions), answers(...outcomes), now)).toBe(expected);
});

test('an answer of a region that was not asked does not count', () => {
  expect(vote(round(1), [{ region: 'elsewhere', outcome: 'fail', error: 'x' }], BEFORE)).toBe('waiting');
});

test('the votes in words name the error that most regions saw', () => {
  const seen = [
    { region: 'a', outcome: 'fail' as const, error: 'status 502, expected 200' },
    { region: 'b', outcome: 'timeout' as const, error: 'no answer within 10000 ms' },
    { region: 'c', outcome: 'fail' as const, error: 'status 502, expected 200' },
  ];
  expect(describeVotes(round(3), seen)).toEqual({ votes: '3 of 3 regions failed', error: 'status 502, expected 200' });
});
