import type { MonitorState, TransitionRuleName } from '@tocsin/enums';
import type { EvaluatorState, Streak } from './evaluate.ts';
import type { RegionOutcome } from './round.ts';

/** A change of a monitor's state as the history records it. */
export interface Transition {
  readonly state: MonitorState;
  readonly previousState: MonitorState | undefined;
  readonly enteredAt: Date;
  readonly error: string;
  readonly explanation: string;
  readonly rule: TransitionRuleName;
  /** The rounds in a row that did it; undefined when none did. */
  readonly streak: Omit<Streak, 'verdict'> | undefined;
  /** What each region said in the last of them; none without regions. */
  readonly votes: readonly RegionOutcome[];
}

/** The texts of a change, beside the evaluator state that it led to. */
export interface Reasons {
  readonly error: string;
  readonly explanation: string;
  readonly votes?: readonly RegionOutcome[];
}

/** A change of state: the standing that it led to, and why. */
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
