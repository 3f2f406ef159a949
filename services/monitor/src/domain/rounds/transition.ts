import type { MonitorState, TransitionRuleName } from '@tocsin/enums';
import type { EvaluatorState, Streak } from './evaluate.ts';
import type { RegionOutcome } from './round.ts';

/** A state change, as stored in a monitor's history. */
export interface Transition {
  readonly state: MonitorState;
  readonly previousState: MonitorState | undefined;
  readonly enteredAt: Date;
  readonly error: string;
  readonly explanation: string;
  readonly rule: TransitionRuleName;
  /** Consecutive rounds that caused the change; undefined if the change has another cause. */
  readonly streak: Omit<Streak, 'verdict'> | undefined;
  /** Outcome of each region in the last round of the streak; empty if there is no streak, and for heartbeats. */
  readonly votes: readonly RegionOutcome[];
}

/** Texts and votes that explain a state change. */
export interface Reasons {
  readonly error: string;
  readonly explanation: string;
  readonly votes?: readonly RegionOutcome[];
}

/** A state change: the evaluator state after it, and its reasons. */
export interface Change extends Reasons {
  readonly evaluatorState: EvaluatorState;
}

export function transitionTo(evaluatorState: EvaluatorState, { error, explanation, votes = [] }: Reasons): Transition {
  const { state, previousState, enteredAt, streak } = evaluatorState;
  const rule = ruleOf(evaluatorState);
  const byRounds = rule === 'enabled' || rule === 'no_recent_checks' ? undefined : streak;
  return {
    state,
    previousState,
    enteredAt,
    error,
    explanation,
    rule,
    votes,
    streak: byRounds && { since: byRounds.since, rounds: byRounds.rounds },
  };
}

function ruleOf({ state, previousState }: EvaluatorState): TransitionRuleName {
  switch (state) {
    case 'down':
      return 'confirmed_down';
    case 'up':
      return previousState === 'down' ? 'confirmed_up' : 'first_pass';
    case 'pending':
      return 'enabled';
    case 'stale':
      return 'no_recent_checks';
  }
}
