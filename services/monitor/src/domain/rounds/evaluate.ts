import type { CheckType, MonitorState } from '@tocsin/enums';

/** An unbroken run of decided rounds that say the same. */
export interface Streak {
  readonly verdict: 'pass' | 'fail';
  /** Time of its first round. */
  readonly since: Date;
  readonly rounds: number;
}

/** Everything that the evaluator stores about a monitor. */
export interface EvaluatorState {
  readonly state: MonitorState;
  readonly enteredAt: Date;
  readonly previousState: MonitorState | undefined;
  /** When the state before this one was entered. */
  readonly previousEnteredAt: Date | undefined;
  readonly streak: Streak | undefined;
  /** Time of the newest decided round; older ones move nothing. */
  readonly lastRoundAt: Date | undefined;
}

/** How long a streak must be to be believed: minutes by round times, or a number of rounds. */
export interface Confirmation {
  readonly unit: 'minutes' | 'rounds';
  readonly down: number;
  readonly up: number;
}

export interface DecidedRound {
  readonly at: Date;
  readonly verdict: 'pass' | 'fail';
}

export interface Evaluation {
  readonly evaluatorState: EvaluatorState;
  readonly changed: boolean;
}

const MINUTE_MS = 60_000;

/** Returns the state of a monitor that is created, or enabled again, at this moment. */
export function initialEvaluatorState(at: Date, before?: EvaluatorState): EvaluatorState {
  return {
    state: 'pending',
    enteredAt: at,
    previousState: before?.state,
    previousEnteredAt: before?.enteredAt,
    streak: undefined,
    lastRoundAt: before?.lastRoundAt,
  };
}

/**
 * What a decided round makes of a monitor (spec: Rounds, votes and states). Pure: time comes from the rounds alone, so
 * a late, repeated or reordered round, a restart or a clock that jumps can't confirm anything.
 */
export function evaluate(evaluatorState: EvaluatorState, round: DecidedRound, confirmation: Confirmation): Evaluation {
  if (evaluatorState.lastRoundAt && round.at <= evaluatorState.lastRoundAt) return { evaluatorState, changed: false };
  const streak = extend(evaluatorState.streak, round);
  const updated = { ...evaluatorState, streak, lastRoundAt: round.at };
  const next = nextState(evaluatorState.state, streak, round.at, confirmation);
  return next === evaluatorState.state ? { evaluatorState: updated, changed: false } : enter(updated, next, round.at);
}

/**
 * What becomes of an enabled monitor that nothing was decided about for too long (spec: Rounds, votes and states). One
 * that is down stays so. Rounds before the gap confirm nothing after it.
 */
export function markStale(evaluatorState: EvaluatorState, at: Date): Evaluation {
  if (evaluatorState.state === 'down' || evaluatorState.state === 'stale') return { evaluatorState, changed: false };
  return enter({ ...evaluatorState, streak: undefined }, 'stale', at);
}

function enter(evaluatorState: EvaluatorState, state: MonitorState, at: Date): Evaluation {
  const { state: previousState, enteredAt: previousEnteredAt } = evaluatorState;
  // A late round may be older than the gap that it ends; states still follow each other.
  const enteredAt = at < previousEnteredAt ? previousEnteredAt : at;
  return { changed: true, evaluatorState: { ...evaluatorState, state, enteredAt, previousState, previousEnteredAt } };
}

function extend(streak: Streak | undefined, round: DecidedRound): Streak {
  if (streak?.verdict === round.verdict) return { ...streak, rounds: streak.rounds + 1 };
  return { verdict: round.verdict, since: round.at, rounds: 1 };
}

function nextState(state: MonitorState, streak: Streak, at: Date, confirmation: Confirmation): MonitorState {
  if (streak.verdict === 'fail') return isConfirmed(streak, at, confirmation.unit, confirmation.down) ? 'down' : state;
  // One pass ends pending and stale; only a down monitor has to prove itself.
  if (state !== 'down') return 'up';
  return isConfirmed(streak, at, confirmation.unit, confirmation.up) ? 'up' : 'down';
}

function isConfirmed(streak: Streak, at: Date, unit: Confirmation['unit'], needed: number): boolean {
  if (unit === 'rounds') return streak.rounds >= needed;
  return at.getTime() - streak.since.getTime() >= needed * MINUTE_MS;
}

/** Which of a monitor's windows counts for its type. */
export function confirmationOf(monitor: {
  readonly checkType: CheckType;
  readonly confirmDownMinutes: number;
  readonly confirmUpMinutes: number;
  readonly confirmDownAfter: number;
  readonly confirmUpAfter: number;
}): Confirmation {
  return monitor.checkType === 'synthetic'
    ? { unit: 'rounds', down: monitor.confirmDownAfter, up: monitor.confirmUpAfter }
    : { unit: 'minutes', down: monitor.confirmDownMinutes, up: monitor.confirmUpMinutes };
}
