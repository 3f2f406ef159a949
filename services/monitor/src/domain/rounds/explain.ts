import { spellDuration } from '@tocsin/text';
import type { EvaluatorState } from './evaluate.ts';
import { describeVotes, type OpenRound, type RegionOutcome } from './round.ts';

/**
 * Returns the texts that explain a state change: the votes of the regions and the duration, as in "3 of 3 regions
 * failed for 1 min: status 502, expected 200".
 */
export function explain(
  evaluatorState: EvaluatorState,
  round: OpenRound,
  outcomes: readonly RegionOutcome[],
): { error: string; explanation: string } {
  const { votes, error } = describeVotes(round, outcomes);
  const { streak } = evaluatorState;
  const lasted = streak ? round.at.getTime() - streak.since.getTime() : 0;
  if (evaluatorState.state === 'down') {
    const window = lasted === 0 ? '' : ` for ${spellDuration(lasted)}`;
    return { error, explanation: `${votes}${window}: ${error}` };
  }
  const rounds = streak?.rounds ?? 1;
  const passes = rounds === 1 ? '1 check passed' : `${rounds} checks passed in a row`;
  return { error: '', explanation: lasted === 0 ? passes : `${passes} over ${spellDuration(lasted)}` };
}
