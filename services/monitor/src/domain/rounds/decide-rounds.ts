import { type Confirmation, type EvaluatorState, evaluate, initialEvaluatorState } from './evaluate.ts';
import { explain } from './explain.ts';
import { type OpenRound, type RegionOutcome, vote } from './round.ts';
import type { Change } from './transition.ts';

export interface RoundsDecision {
  /** State after the decided rounds; undefined before the first decision. */
  readonly evaluatorState: EvaluatorState | undefined;
  /** Rounds that no longer wait for results, including rounds whose vote was undecided. */
  readonly closed: readonly OpenRound[];
  readonly changes: readonly Change[];
}

/**
 * Determines the votes of a monitor's open rounds and evaluates them in chronological order. A round that is still
 * waiting for results delays the rounds after it.
 */
export function decideRounds(
  known: EvaluatorState | undefined,
  rounds: readonly OpenRound[],
  answersTo: (round: OpenRound) => readonly RegionOutcome[],
  confirmation: Confirmation,
  now: Date,
): RoundsDecision {
  let evaluatorState = known;
  const closed: OpenRound[] = [];
  const changes: Change[] = [];
  for (const round of rounds) {
    const votes = answersTo(round);
    const verdict = vote(round, votes, now);
    if (verdict === 'waiting') break;
    closed.push(round);
    if (verdict === 'undecided') continue;
    const evaluation = evaluate(
      evaluatorState ?? initialEvaluatorState(round.at),
      { at: round.at, verdict },
      confirmation,
    );
    evaluatorState = evaluation.evaluatorState;
    if (evaluation.changed) changes.push({ evaluatorState, votes, ...explain(evaluatorState, round, votes) });
  }
  return { evaluatorState, closed, changes };
}
