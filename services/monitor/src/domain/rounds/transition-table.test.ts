import type { MonitorState } from '@tocsin/enums';
import { expect, test } from 'vitest';
import { applyDeadline, applySignal, dueAt, type HeartbeatState, startHeartbeat } from '../heartbeats/heartbeat.ts';
import { DEFAULT_SETTINGS } from '../monitors/monitor.ts';
import { confirmationOf, type EvaluatorState, evaluate, initialEvaluatorState, markStale } from './evaluate.ts';
import { checkStaleness } from './staleness.ts';

const MINUTE = 60_000;
const T0 = Date.parse('2026-11-20T10:00:00Z');
const at = (minutes: number) => new Date(T0 + minutes * MINUTE);

/**
 * Transitions with the default confirmation settings: down after 1 min or 3 rounds, up after 3 min or 1 round. There is
 * one round per minute: `p` is a pass and `f` a failure.
 */
const TABLE: readonly [from: MonitorState, rounds: string, byMinutes: MonitorState, byRounds: MonitorState][] = [
  ['pending', 'p', 'up', 'up'],
  ['pending', 'f', 'pending', 'pending'],
  ['pending', 'ff', 'down', 'pending'],
  ['pending', 'fff', 'down', 'down'],
  ['pending', 'fp', 'up', 'up'],
  ['up', 'p', 'up', 'up'],
  ['up', 'f', 'up', 'up'],
  ['up', 'ff', 'down', 'up'],
  ['up', 'fff', 'down', 'down'],
  ['up', 'fpfpf', 'up', 'up'],
  ['down', 'f', 'down', 'down'],
  ['down', 'p', 'down', 'up'],
  ['down', 'ppp', 'down', 'up'],
  ['down', 'pppp', 'up', 'up'],
  ['down', 'ppfpp', 'down', 'up'],
  ['stale', 'p', 'up', 'up'],
  ['stale', 'f', 'stale', 'stale'],
  ['stale', 'ff', 'down', 'stale'],
  ['stale', 'fff', 'down', 'down'],
];

const inState = (state: MonitorState): EvaluatorState => ({ ...initialEvaluatorState(at(-60)), state });

for (const checkType of ['http', 'tcp', 'dns', 'synthetic'] as const) {
  const confirmation = confirmationOf({ ...DEFAULT_SETTINGS, checkType });
  test.each(TABLE)(
    `a monitor of type ${checkType} in state %s is, after the rounds %s, in state %s (by minutes) or %s (by rounds)`,
    (from, rounds, byMinutes, byRounds) => {
      const after = [...rounds].reduce(
        (evaluatorState, said, minute) =>
          evaluate(evaluatorState, { at: at(minute), verdict: said === 'p' ? 'pass' : 'fail' }, confirmation)
            .evaluatorState,
        inState(from),
      );
      expect(after.state).toBe(checkType === 'synthetic' ? byRounds : byMinutes);
    },
  );
}

test.each<[MonitorState, MonitorState]>([
  ['pending', 'stale'],
  ['up', 'stale'],
  ['down', 'down'],
  ['stale', 'stale'],
])('missing rounds take a monitor from state %s to state %s', (from, to) => {
  expect(markStale(inState(from), at(0)).evaluatorState.state).toBe(to);
});

test.each<MonitorState>(['pending', 'up', 'down', 'stale'])(
  'a monitor in state %s is pending after it is disabled and enabled again',
  (from) => {
    expect(initialEvaluatorState(at(0), inState(from))).toMatchObject({ state: 'pending', previousState: from });
  },
);

test('a new monitor is pending, and becomes stale after three intervals without a decided round', () => {
  const watched = { intervalSeconds: 180, watchedFrom: at(0), evaluatorState: undefined };
  const presences = [{ since: at(-60), seenAt: at(0) }];
  expect(checkStaleness(watched, presences, at(8.9)).change).toBeUndefined();
  expect(checkStaleness(watched, presences, at(9)).change?.evaluatorState).toMatchObject({
    state: 'stale',
    previousState: 'pending',
  });
});

/**
 * Transitions of a heartbeat monitor that expects one ping per minute: `p` is a ping, `f` a reported failure, and `-` a
 * minute without a signal.
 */
test.each<[from: MonitorState, story: string, to: MonitorState]>([
  ['pending', 'p', 'up'],
  ['pending', '-', 'pending'],
  ['pending', '--', 'pending'],
  ['pending', '---', 'down'],
  ['pending', 'f-', 'down'],
  ['up', 'p', 'up'],
  ['up', '--', 'up'],
  ['up', '---', 'down'],
  ['up', '--p', 'up'],
  ['down', 'p', 'down'],
  ['down', 'p-p-p-p', 'up'],
  ['down', 'p----p', 'down'],
])('a heartbeat monitor in state %s that receives the signals %s is in state %s afterwards', (from, story, to) => {
  const confirmation = confirmationOf({ ...DEFAULT_SETTINGS, checkType: 'heartbeat' });
  const evaluatorState = from === 'pending' ? undefined : inState(from);
  let beating: HeartbeatState = {
    heartbeat: startHeartbeat({ expectedSeconds: 60, misses: 2 }, at(0)),
    evaluatorState,
    confirmation,
  };
  let minute = 0;
  for (const step of story) {
    if (step !== '-') beating = applySignal(beating, step === 'p' ? 'ping' : 'fail', at(minute));
    else minute += 1;
    while (dueAt(beating) <= at(minute)) beating = applyDeadline(beating, dueAt(beating));
  }
  expect(beating.evaluatorState?.state ?? 'pending').toBe(to);
});
