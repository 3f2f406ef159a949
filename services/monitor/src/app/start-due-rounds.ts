import { limitsOf } from '../domain/timetable.ts';
import { openRounds } from '../storage/round-store.ts';
import { insertSilences, type Silence } from '../storage/run-store.ts';
import { claimDueRounds, type DueRound } from '../storage/schedule-store.ts';
import type { Deps } from './ports.ts';

export interface StartedRounds {
  /** Seconds between each round's time and now. */
  readonly lags: readonly number[];
  /** Rounds that were due and never sent out. */
  readonly missed: number;
}

/** How many rounds one claim sends out. */
export const CLAIM_LIMIT = 500;

/**
 * Sends out the rounds that are due. The jobs are in the stream before the claim commits: a crash in between sends them
 * again with the same identity, and never loses one.
 */
export async function startDueRounds(deps: Deps): Promise<StartedRounds> {
  return deps.database.transaction('every organization', async (tx) => {
    const now = deps.now();
    const due = await claimDueRounds(tx, now, CLAIM_LIMIT);
    if (due.length === 0) return { lags: [], missed: 0 };
    const limited = due.map((round) => ({ ...round, ...limitsOf(round.roundAt, round.timeoutMs) }));
    await openRounds(
      tx,
      limited.map(({ monitorId, roundAt, deadline }) => ({ monitorId, at: roundAt, deadline, regions: deps.regions })),
    );
    await insertSilences(tx, due.flatMap(missedRounds));
    await deps.checkers.send(limited, deps.regions);
    return {
      lags: due.map((round) => (now.getTime() - round.roundAt.getTime()) / 1000),
      missed: due.reduce((sum, round) => sum + round.missed, 0),
    };
  });
}

/** The rounds that lie between the one that is due and the last that was sent out. */
function missedRounds({ monitorId, roundAt, missed, intervalSeconds }: DueRound): Silence[] {
  if (missed === 0) return [];
  const before = (rounds: number) => new Date(roundAt.getTime() - rounds * intervalSeconds * 1000);
  return [{ monitorId, firstAt: before(missed), lastAt: before(1), stepSeconds: intervalSeconds }];
}
