import type { CheckType, MonitorState } from '@tocsin/enums';

/** Consecutive decided rounds (rounds with a verdict) that have the same verdict. */
export interface Streak {
  readonly verdict: 'pass' | 'fail';
  /** Time from which the streak counts: that of its first round, moved forward by what its gaps exceed maxCreditMs. */
  readonly since: Date;
  readonly rounds: number;
}

/** State of a monitor, with the data that is needed to evaluate its next round. */
export interface EvaluatorState {
  readonly state: MonitorState;
  readonly enteredAt: Date;
  readonly previousState: MonitorState | undefined;
  /** Time at which the previous state was entered. */
  readonly previousEnteredAt: Date | undefined;
  readonly streak: Streak | undefined;
  /** Time of the newest decided round. Older rounds that are decided later have no effect. */
  readonly lastRoundAt: Date | undefined;
}

/** Length of the streak that confirms a state: minutes from its first to its last round, or a number of rounds. */
export interface Confirmation {
  readonly unit: 'minutes' | 'rounds';
  readonly down: number;
  readonly up: number;
  /**
   * Maximum number of milliseconds by which one round extends a streak; unlimited if absent. A longer gap between two
   * rounds is a jump of the clock, or an outage of this installation in which the target was not checked.
   */
  readonly maxCreditMs?: number;
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

/**
 * Maximum credit of one gap between decided rounds, in intervals: one round in between may be undecided. A gap can be
 * longer by START_LATE_MS without a missed round, because a round may start late.
 */
const CREDIT_INTERVALS = 2;
const START_LATE_MS = 15_000;

/** Returns how much of a gap between two decided rounds counts toward a confirmation, in milliseconds. */
export function maxCreditMs(intervalSeconds: number): number {
  return CREDIT_INTERVALS * intervalSeconds * 1000 + START_LATE_MS;
}

/**
 * Returns the evaluator state of a monitor that was created or enabled at `at`. `before` is the state that it replaces.
 */
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
 * Returns the evaluator state after a decided round (docs/states.md). Time is taken only from the rounds, and a gap
 * between two of them counts for at most `maxCreditMs`, so that late, repeated or reordered rounds, restarts and clock
 * jumps can't confirm a state.
 */
export function evaluate(evaluatorState: EvaluatorState, round: DecidedRound, confirmation: Confirmation): Evaluation {
  if (evaluatorState.lastRoundAt && round.at <= evaluatorState.lastRoundAt) return { evaluatorState, changed: false };
  const streak = extend(evaluatorState, round, confirmation.maxCreditMs);
  const updated = { ...evaluatorState, streak, lastRoundAt: round.at };
  const next = nextState(evaluatorState.state, streak, round.at, confirmation);
  return next === evaluatorState.state ? { evaluatorState: updated, changed: false } : enter(updated, next, round.at);
}

/**
 * Returns the evaluator state of an enabled monitor whose last decided round is too long ago (docs/states.md). A
 * monitor that is down stays down. In every state the streak is cleared, so that rounds before the gap don't count
 * toward a confirmation after the gap; the evaluator state can therefore be a new one although `changed` is false.
 */
export function markStale(evaluatorState: EvaluatorState, at: Date): Evaluation {
  const cleared = evaluatorState.streak ? { ...evaluatorState, streak: undefined } : evaluatorState;
  if (cleared.state === 'down' || cleared.state === 'stale') return { evaluatorState: cleared, changed: false };
  return enter(cleared, 'stale', at);
}

/**
 * Returns the evaluator state of a monitor from now on checked in another way. The failures of earlier checks no longer
 * count toward the state down; a monitor that is down stays down.
 */
export function clearFailures(evaluatorState: EvaluatorState): EvaluatorState {
  const isConfirming = evaluatorState.streak?.verdict === 'fail' && evaluatorState.state !== 'down';
  return isConfirming ? { ...evaluatorState, streak: undefined } : evaluatorState;
}

function enter(evaluatorState: EvaluatorState, state: MonitorState, at: Date): Evaluation {
  const { state: previousState, enteredAt: previousEnteredAt } = evaluatorState;
  // The time of a late round may be before the start of the state that it ends. A state must not begin before the
  // previous state. Only an outage may have begun later than it ends: if the clock was set back during the outage, its
  // start is not changed, and the next outage must not have the same start.
  const enteredAt = at < previousEnteredAt && previousState !== 'down' ? previousEnteredAt : at;
  return { changed: true, evaluatorState: { ...evaluatorState, state, enteredAt, previousState, previousEnteredAt } };
}

function extend(
  { streak, lastRoundAt }: EvaluatorState,
  round: DecidedRound,
  maxMs = Number.POSITIVE_INFINITY,
): Streak {
  if (streak?.verdict !== round.verdict) return { verdict: round.verdict, since: round.at, rounds: 1 };
  const gapMs = round.at.getTime() - (lastRoundAt ?? streak.since).getTime();
  const excessMs = Math.max(0, gapMs - maxMs);
  return { ...streak, since: new Date(streak.since.getTime() + excessMs), rounds: streak.rounds + 1 };
}

function nextState(state: MonitorState, streak: Streak, at: Date, confirmation: Confirmation): MonitorState {
  if (streak.verdict === 'fail') return isConfirmed(streak, at, confirmation.unit, confirmation.down) ? 'down' : state;
  // A single passed round ends the state pending or stale. Only a recovery from the state down needs confirmation.
  if (state !== 'down') return 'up';
  return isConfirmed(streak, at, confirmation.unit, confirmation.up) ? 'up' : 'down';
}

function isConfirmed(streak: Streak, at: Date, unit: Confirmation['unit'], needed: number): boolean {
  if (unit === 'rounds') return streak.rounds >= needed;
  return at.getTime() - streak.since.getTime() >= needed * MINUTE_MS;
}

/** Returns the confirmation settings that apply to a monitor's check type. */
export function confirmationOf(monitor: {
  readonly checkType: CheckType;
  readonly intervalSeconds: number;
  readonly confirmDownMinutes: number;
  readonly confirmUpMinutes: number;
  readonly confirmDownAfter: number;
  readonly confirmUpAfter: number;
}): Confirmation {
  if (monitor.checkType === 'synthetic') {
    return { unit: 'rounds', down: monitor.confirmDownAfter, up: monitor.confirmUpAfter };
  }
  const minutes = { unit: 'minutes', down: monitor.confirmDownMinutes, up: monitor.confirmUpMinutes } as const;
  // The gap between two pings depends on the deadline of the ping, which a heartbeat has in its state.
  return monitor.checkType === 'heartbeat'
    ? minutes
    : { ...minutes, maxCreditMs: maxCreditMs(monitor.intervalSeconds) };
}
