import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Confirmation,
  type DecidedRound,
  type EvaluatorState,
  evaluate,
  initialEvaluatorState,
  markStale,
  maxCreditMs,
} from './evaluate.ts';

const T0 = Date.parse('2026-11-20T10:00:00Z');
const at = (seconds: number) => new Date(T0 + seconds * 1000);
const minutes = (down: number, up: number): Confirmation => ({ unit: 'minutes', down, up });
const rounds = (down: number, up: number): Confirmation => ({ unit: 'rounds', down, up });
/** Confirmation windows of a monitor with an interval of 60 s: a gap counts for at most 135 s. */
const capped = (down: number, up: number): Confirmation => ({ ...minutes(down, up), maxCreditMs: maxCreditMs(60) });

/**
 * Returns the state after each round of a story. For example, "30 fail, 60 pass" is a round that fails after 30 seconds
 * and a round that passes after 60 seconds.
 */
function states(confirmation: Confirmation, story: string): string[] {
  let evaluatorState = initialEvaluatorState(at(0));
  return story.split(', ').map((step) => {
    const [seconds, verdict] = step.split(' ');
    evaluatorState = evaluate(
      evaluatorState,
      { at: at(Number(seconds)), verdict: verdict as 'pass' | 'fail' },
      confirmation,
    ).evaluatorState;
    return evaluatorState.state;
  });
}

describe('the transition table', () => {
  test.each([
    ['the first pass moves a monitor from pending to up', minutes(1, 3), '0 pass', ['up']],
    [
      'a single failure does not fill a confirmation window of one minute',
      minutes(1, 3),
      '0 pass, 30 fail',
      ['up', 'up'],
    ],
    [
      'failures for a minute confirm the down state',
      minutes(1, 3),
      '0 pass, 30 fail, 60 fail, 90 fail',
      ['up', 'up', 'up', 'down'],
    ],
    [
      'with an interval of three minutes, the second failure confirms the down state',
      minutes(1, 3),
      '0 pass, 180 fail, 360 fail',
      ['up', 'up', 'down'],
    ],
    [
      'with a confirmation window of zero minutes, one round changes the state',
      minutes(0, 0),
      '0 pass, 30 fail, 60 pass',
      ['up', 'down', 'up'],
    ],
    [
      'a pass between failures restarts the confirmation window',
      minutes(1, 3),
      '0 fail, 30 fail, 45 pass, 60 fail, 90 fail',
      ['pending', 'pending', 'up', 'up', 'up'],
    ],
    [
      'a monitor that was never up goes from pending to down',
      minutes(1, 3),
      '0 fail, 30 fail, 60 fail',
      ['pending', 'pending', 'down'],
    ],
    [
      'passes for three minutes confirm the recovery',
      minutes(0, 3),
      '0 fail, 60 pass, 120 pass, 180 pass, 240 pass',
      ['down', 'down', 'down', 'down', 'up'],
    ],
    [
      'a failure restarts the confirmation of a recovery',
      minutes(0, 1),
      '0 fail, 30 pass, 60 fail, 90 pass, 120 pass, 150 pass',
      ['down', 'down', 'down', 'down', 'down', 'up'],
    ],
    [
      'three failed rounds confirm that a synthetic monitor is down',
      rounds(3, 1),
      '0 fail, 5 fail, 10 fail',
      ['pending', 'pending', 'down'],
    ],
    ['one passed round confirms the recovery of a synthetic monitor', rounds(1, 1), '0 fail, 5 pass', ['down', 'up']],
    [
      'two failures with a jump of the clock by an hour between them do not fill a confirmation window of 30 minutes',
      capped(30, 3),
      '0 pass, 60 fail, 3720 fail, 3780 fail',
      ['up', 'up', 'up', 'up'],
    ],
    [
      'two passes with an outage of ten minutes between them do not confirm a recovery',
      capped(0, 5),
      '0 fail, 60 pass, 660 pass, 720 pass, 780 pass, 840 pass',
      ['down', 'down', 'down', 'down', 'down', 'up'],
    ],
    [
      'a gap counts for two intervals and 15 seconds',
      capped(3, 3),
      '0 fail, 600 fail, 644 fail, 645 fail',
      ['pending', 'pending', 'pending', 'down'],
    ],
    [
      'a gap with one undecided round counts in full',
      capped(4, 3),
      '0 fail, 120 fail, 240 fail',
      ['pending', 'pending', 'down'],
    ],
    [
      'a monitor with an interval longer than its confirmation window is down at the second failure',
      { ...minutes(1, 3), maxCreditMs: maxCreditMs(86_400) },
      '0 fail, 86400 fail',
      ['pending', 'down'],
    ],
    [
      'two passed rounds confirm a recovery if two are configured',
      rounds(1, 2),
      '0 fail, 5 pass, 10 pass',
      ['down', 'down', 'up'],
    ],
  ])('the states after a series of rounds: %s', (_name, confirmation, story, expected) => {
    expect(states(confirmation, story)).toEqual(expected);
  });
});

test('a state change contains its time, the previous state and when that state began', () => {
  const up = evaluate(initialEvaluatorState(at(0)), { at: at(30), verdict: 'pass' }, minutes(0, 0)).evaluatorState;
  const { evaluatorState, changed } = evaluate(up, { at: at(60), verdict: 'fail' }, minutes(0, 0));
  expect(changed).toBe(true);
  expect(evaluatorState).toMatchObject({
    state: 'down',
    enteredAt: at(60),
    previousState: 'up',
    previousEnteredAt: at(30),
  });
});

test('a state that a late round begins is not earlier than the previous one, except after an outage', () => {
  const entered = (state: EvaluatorState['state'], verdict: 'pass' | 'fail') =>
    evaluate({ ...initialEvaluatorState(at(600)), state }, { at: at(10), verdict }, minutes(0, 0)).evaluatorState;
  expect(entered('stale', 'fail')).toMatchObject({ state: 'down', enteredAt: at(600) });
  // The clock was set back during the outage, and the next outage must not begin at the same time.
  expect(entered('down', 'pass')).toMatchObject({ state: 'up', enteredAt: at(10), previousEnteredAt: at(600) });
});

test('a stale monitor is up after one pass, and goes down only after its confirmation window', () => {
  const stale: EvaluatorState = { ...initialEvaluatorState(at(0)), state: 'stale' };
  expect(evaluate(stale, { at: at(10), verdict: 'pass' }, minutes(1, 3)).evaluatorState.state).toBe('up');
  expect(evaluate(stale, { at: at(10), verdict: 'fail' }, minutes(1, 3)).evaluatorState.state).toBe('stale');
});

test.each(['down', 'stale'] as const)(
  'without recent rounds, a monitor stays %s, and its streak starts again',
  (state) => {
    const streak = { verdict: 'pass', since: at(0), rounds: 2 } as const;
    const before: EvaluatorState = { ...initialEvaluatorState(at(0)), state, streak, lastRoundAt: at(60) };
    const marked = markStale(before, at(600));
    expect(marked).toEqual({ changed: false, evaluatorState: { ...before, streak: undefined } });
    expect(markStale(marked.evaluatorState, at(900)).evaluatorState).toBe(marked.evaluatorState);
  },
);

const decided = fc.record({ at: fc.integer({ min: 0, max: 2_000 }).map(at), verdict: fc.constantFrom('pass', 'fail') });
const confirmations = fc.record({
  unit: fc.constantFrom('minutes', 'rounds'),
  down: fc.integer({ min: 0, max: 10 }),
  up: fc.integer({ min: 0, max: 10 }),
});

function fold(stream: readonly DecidedRound[], confirmation: Confirmation): EvaluatorState {
  return stream.reduce(
    (evaluatorState, round) => evaluate(evaluatorState, round, confirmation).evaluatorState,
    initialEvaluatorState(at(-1)),
  );
}

test('repeated and late rounds do not change the state', () => {
  fc.assert(
    fc.property(fc.array(decided, { maxLength: 60 }), confirmations, (stream, confirmation) => {
      const ordered = stream.toSorted((a, b) => a.at.getTime() - b.at.getTime());
      const disturbed = ordered.flatMap((round, index) => [
        round,
        round,
        ...ordered.slice(Math.max(0, index - 2), index),
      ]);
      expect(fold(disturbed, confirmation)).toEqual(fold(ordered, confirmation));
    }),
  );
});

test('a monitor goes down only after uninterrupted failures for its whole confirmation window', () => {
  fc.assert(
    fc.property(fc.array(decided, { maxLength: 80 }), confirmations, (stream, confirmation) => {
      const ordered = stream.toSorted((a, b) => a.at.getTime() - b.at.getTime());
      let evaluatorState = initialEvaluatorState(at(-1));
      const heard: DecidedRound[] = [];
      for (const round of ordered) {
        if (!evaluatorState.lastRoundAt || round.at > evaluatorState.lastRoundAt) heard.push(round);
        const next = evaluate(evaluatorState, round, confirmation);
        if (next.changed && next.evaluatorState.state === 'down') {
          const lastPass = heard.findLastIndex(({ verdict }) => verdict === 'pass');
          const run = heard.slice(lastPass + 1);
          const first = run[0];
          if (!first) throw new Error('down without any failure');
          const long = confirmation.unit === 'rounds' ? run.length : (round.at.getTime() - first.at.getTime()) / 60_000;
          expect(long).toBeGreaterThanOrEqual(confirmation.down);
        }
        evaluatorState = next.evaluatorState;
      }
    }),
  );
});
