import { expect, test } from 'vitest';
import { type EvaluatorState, initialEvaluatorState } from './evaluate.ts';
import { checkStaleness, type OnlinePeriod, staleAfterMs } from './staleness.ts';

const T0 = Date.parse('2026-11-20T10:00:00Z');
const at = (minutes: number) => new Date(T0 + minutes * 60_000);
const present = (...spans: [number, number][]): OnlinePeriod[] =>
  spans.map(([since, seenAt]) => ({ since: at(since), seenAt: at(seenAt) }));
const ALWAYS = present([-100, 0]);

function decidedAt(minutes: number, state: EvaluatorState['state'] = 'up'): EvaluatorState {
  const streak = { verdict: 'fail', since: at(minutes), rounds: 1 } as const;
  return { ...initialEvaluatorState(at(-90)), state, streak, lastRoundAt: at(minutes) };
}

const watched = (evaluatorState: EvaluatorState | undefined, watchedFrom = at(-95)) => ({
  intervalSeconds: 30,
  watchedFrom,
  evaluatorState,
});

test.each([
  [30, 5],
  [100, 5],
  [101, 5.05],
  [180, 9],
  [86_400, 3 * 1_440],
])('a monitor with an interval of %i s is stale after %f min without a decided round', (intervalSeconds, minutes) => {
  expect(staleAfterMs(intervalSeconds)).toBe(minutes * 60_000);
});

test('a monitor becomes stale exactly five minutes after its last decided round, and its streak is cleared', () => {
  expect(checkStaleness(watched(decidedAt(0)), ALWAYS, at(4.99))).toEqual({ checkAt: at(5) });
  const { change, checkAt } = checkStaleness(watched(decidedAt(0)), ALWAYS, at(5.5));
  expect(checkAt).toEqual(at(7.5));
  expect(change?.evaluatorState).toMatchObject({
    state: 'stale',
    previousState: 'up',
    enteredAt: at(5),
    streak: undefined,
  });
  expect(change?.explanation).toBe('no conclusive check results for 5 min, expected every 30 s');
});

test('a monitor without any decided round is stale five minutes after it was created', () => {
  expect(checkStaleness(watched(undefined, at(0)), ALWAYS, at(4))).toEqual({ checkAt: at(5) });
  expect(checkStaleness(watched(undefined, at(0)), ALWAYS, at(5)).change?.evaluatorState).toMatchObject({
    state: 'stale',
    previousState: 'pending',
    previousEnteredAt: at(0),
  });
});

test('time before the monitor was enabled or changed does not count as missing data', () => {
  expect(checkStaleness(watched(decidedAt(0), at(60)), ALWAYS, at(62))).toEqual({ checkAt: at(65) });
});

test.each(['down', 'stale'] as const)(
  'missing rounds do not change the state %s, and clear the streak once',
  (state) => {
    const before = decidedAt(0, state);
    const cleared = { ...before, streak: undefined };
    expect(checkStaleness(watched(before), ALWAYS, at(30))).toEqual({ checkAt: at(32), evaluatorState: cleared });
    expect(checkStaleness(watched(cleared), ALWAYS, at(32))).toEqual({ checkAt: at(34) });
  },
);

test.each([
  ['there is a gap of an hour', present([-100, 1], [61, 61]), 65],
  ['there are several gaps', present([-100, 1], [10, 12], [20, 20]), 22],
  ['there is a gap before the last round', present([-100, -10], [-5, 0]), 5],
  ['there is a gap since the last round', present([-100, -10], [60, 60]), 65],
  ['there is a gap after the monitor became stale', present([-100, 6], [60, 60]), 5],
])('periods without a running replica do not count as missing data: %s', (_name, presences, expected) => {
  expect(checkStaleness(watched(decidedAt(0)), presences, at(4)).checkAt).toEqual(at(expected));
});
