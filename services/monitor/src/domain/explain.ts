import type { Standing } from './evaluate.ts';
import { describeVotes, type OpenRound, type RegionAnswer } from './round.ts';

/** A length of time as a person says it: "45 s", "3 min", "2 h 5 min". */
export function spell(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Why a state was entered: which regions said what, for how long ("3 of 3 regions failed for 1 min: status 502, expected 200"). */
export function explain(
  standing: Standing,
  round: OpenRound,
  answers: readonly RegionAnswer[],
): { error: string; explanation: string } {
  const { votes, error } = describeVotes(round, answers);
  const { streak } = standing;
  const lasted = streak ? round.at.getTime() - streak.since.getTime() : 0;
  if (standing.state === 'down') {
    const window = lasted === 0 ? '' : ` for ${spell(lasted)}`;
    return { error, explanation: `${votes}${window}: ${error}` };
  }
  const rounds = streak?.rounds ?? 1;
  const passes = rounds === 1 ? '1 check passed' : `${rounds} checks passed in a row`;
  return { error: '', explanation: lasted === 0 ? passes : `${passes} over ${spell(lasted)}` };
}
