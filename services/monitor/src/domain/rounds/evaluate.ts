import type { CheckType } from '../monitors/monitor.ts';

export type State = 'pending' | 'up' | 'down' | 'stale';

/** An unbroken run of decided rounds that say the same. */
export interface Streak {
  readonly verdict: 'pass' | 'fail';
  /** Time of its first round. */
  readonly since: Date;
  readonly rounds: number;
}

/** Everything that the evaluator remembers of a monitor. */
export interface Standing {
  readonly state: State;
  readonly enteredAt: Date;
  readonly previousState: State | undefined;
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
  readonly standing: Standing;
  readonly changed: boolean;
}

const MINUTE_MS = 60_000;

/** A monitor that was created, or enabled again, at this moment. */
export function startStanding(at: Date, before?: Standing): Standing {
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
 * What a decided round makes of a monitor (spec: Rounds, votes and states). Pure: time comes from the rounds alone, so a
 * late, repeated or reordered round, a restart or a clock that jumps can't confirm anything.
 */
export function evaluate(standing: Standing, round: DecidedRound, confirmation: Confirmation): Evaluation {
  if (standing.lastRoundAt && round.at <= standing.lastRoundAt) return { standing, changed: false };
  const streak = extend(standing.streak, round);
  const heard = { ...standing, streak, lastRoundAt: round.at };
  const next = nextState(standing.state, streak, round.at, confirmation);
  return next === standing.state ? { standing: heard, changed: false } : enter(heard, next, round.at);
}

/**
 * What becomes of an enabled monitor that nothing was decided about for too long (spec: Rounds, votes and states). One that is
 * down stays so. What it showed before the silence confirms nothing after it.
 */
export function fallSilent(standing: Standing, at: Date): Evaluation {
  if (standing.state === 'down' || standing.state === 'stale') return { standing, changed: false };
  return enter({ ...standing, streak: undefined }, 'stale', at);
}

function enter(standing: Standing, state: State, at: Date): Evaluation {
  const { state: previousState, enteredAt: previousEnteredAt } = standing;
  // A round that was late may be older than the silence that it ends; states still follow each other.
  const enteredAt = at < previousEnteredAt ? previousEnteredAt : at;
  return { changed: true, standing: { ...standing, state, enteredAt, previousState, previousEnteredAt } };
}

function extend(streak: Streak | undefined, round: DecidedRound): Streak {
  if (streak?.verdict === round.verdict) return { ...streak, rounds: streak.rounds + 1 };
  return { verdict: round.verdict, since: round.at, rounds: 1 };
}

function nextState(state: State, streak: Streak, at: Date, confirmation: Confirmation): State {
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
