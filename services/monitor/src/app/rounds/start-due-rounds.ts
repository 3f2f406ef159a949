import { limitsOf, roundTimeOf } from '../../domain/rounds/timetable.ts';
import { insertMissedRounds } from '../../storage/history/run-store.ts';
import { openRounds } from '../../storage/rounds/round-store.ts';
import { claimDueRounds, type DueRound } from '../../storage/rounds/schedule-store.ts';
import type { Deps } from '../ports.ts';

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
 * again and never loses one; with the same identity, unless it took so long that the round is another one by then.
 */
export async function startDueRounds(deps: Deps): Promise<StartedRounds> {
  return deps.database.transaction('every organization', async (tx) => {
    const now = deps.now();
    const due = await claimDueRounds(tx, now, CLAIM_LIMIT);
    if (due.length === 0) return { lags: [], missed: 0 };
    const limited = due.map((round) => {
      const roundAt = roundTimeOf(round.dueAt, now);
      return { ...round, roundAt, ...limitsOf(roundAt, round.timeoutMs) };
    });
    const missed = limited.flatMap(missedTimes);
    await openRounds(
      tx,
      limited.map(({ monitorId, roundAt, deadline }) => ({ monitorId, at: roundAt, deadline, regions: deps.regions })),
    );
    await insertMissedRounds(tx, missed);
    await deps.checkers.send(limited, deps.regions);
    return {
      lags: due.map(({ dueAt }) => (now.getTime() - dueAt.getTime()) / 1000),
      missed: missed.reduce((sum, { rounds }) => sum + rounds, 0),
    };
  });
}

/**
 * The times at which a round should have been sent out and was not: those before the one that is due, and that one,
 * too, when it is too late for it.
 */
function missedTimes({ monitorId, dueAt, roundAt, missed, intervalSeconds }: DueRound & { roundAt: Date }) {
  const isTooLate = roundAt > dueAt;
  const rounds = missed + (isTooLate ? 1 : 0);
  if (rounds === 0) return [];
  const before = (count: number) => new Date(dueAt.getTime() - count * intervalSeconds * 1000);
  return [
    { monitorId, firstAt: before(missed), lastAt: before(isTooLate ? 0 : 1), stepSeconds: intervalSeconds, rounds },
  ];
}
