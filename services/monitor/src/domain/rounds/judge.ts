import { type Confirmation, evaluate, type Standing, startStanding } from './evaluate.ts';
import { explain } from './explain.ts';
import { type OpenRound, type RegionAnswer, vote } from './round.ts';
import type { Change } from './transition.ts';

export interface Judgement {
  /** Undefined while nothing was ever decided. */
  readonly standing: Standing | undefined;
  /** Rounds that are over, decided or not. */
  readonly closed: readonly OpenRound[];
  readonly changes: readonly Change[];
}

/** Votes and evaluates the open rounds of one monitor in the order of their times: a round waits for the ones before it. */
export function judge(
  known: Standing | undefined,
  rounds: readonly OpenRound[],
  answersTo: (round: OpenRound) => readonly RegionAnswer[],
  confirmation: Confirmation,
  now: Date,
): Judgement {
  let standing = known;
  const closed: OpenRound[] = [];
  const changes: Change[] = [];
  for (const round of rounds) {
    const votes = answersTo(round);
    const verdict = vote(round, votes, now);
    if (verdict === 'waiting') break;
    closed.push(round);
    if (verdict === 'undecided') continue;
    const evaluation = evaluate(standing ?? startStanding(round.at), { at: round.at, verdict }, confirmation);
    standing = evaluation.standing;
    if (evaluation.changed) changes.push({ standing, votes, ...explain(standing, round, votes) });
  }
  return { standing, closed, changes };
}
