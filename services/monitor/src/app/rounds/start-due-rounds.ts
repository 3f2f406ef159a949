import type { Transaction } from '@tocsin/database';
import { ClaimProgress } from '../../domain/rounds/claim-progress.ts';
import { catchUpTimeOf, limitsOf, OPEN_AHEAD_MS, roundTimeOf } from '../../domain/rounds/timetable.ts';
import { insertMissedRounds } from '../../storage/history/run-store.ts';
import { openRounds } from '../../storage/rounds/round-store.ts';
import { claimDueRounds, type DueRound, findNextRound, postponeRounds } from '../../storage/rounds/schedule-store.ts';
import type { Deps } from '../ports.ts';

export interface StartedRounds {
  /** Number of due rounds that were found. If it is CLAIM_LIMIT, more may be due. */
  readonly found: number;
  /** Delay of each started round, in seconds; 0 for a round that was opened before its time. */
  readonly lags: readonly number[];
  /** Number of rounds that were due but not started. */
  readonly missed: number;
}

/**
 * Maximum number of rounds that one call opens. If this many are found, those whose monitor has missed a round are
 * postponed (see catchUpTimeOf()).
 */
export const CLAIM_LIMIT = 500;

/**
 * Opens the rounds that are due within OPEN_AHEAD_MS. The jobs are stored in the stream before the transaction commits,
 * so that a crash in between loses no round: a later call finds the rounds still due and sends their jobs again. Jobs
 * that are sent again have the same id and run once. They run twice only if the crash delays a round so long that the
 * round gets a new time. `progress` is that of this replica; pass the same to each call.
 */
export async function startDueRounds(deps: Deps, progress = new ClaimProgress()): Promise<StartedRounds> {
  const before = openBefore(deps.now());
  const { endedTransactions } = deps.database;
  if (progress.isQuiet(before, endedTransactions)) return NOTHING_STARTED;
  const since = progress.since(before);
  const nextAt = since && (await findNextRound(deps.database, since));
  if (since && !(nextAt && nextAt <= before)) {
    progress.recordNoneDue({ at: before, nextAt, endedTransactions });
    return NOTHING_STARTED;
  }
  const { claimedTo, ...started } = await deps.database.transaction('every organization', (tx) =>
    startClaimed(deps, tx, since),
  );
  if (claimedTo) progress.record(claimedTo);
  return started;
}

/** Returns the time up to which rounds are opened at `now`. */
function openBefore(now: Date): Date {
  return new Date(now.getTime() + OPEN_AHEAD_MS);
}

const NOTHING_STARTED: StartedRounds = { found: 0, lags: [], missed: 0 };

/**
 * Claims and starts rounds. `claimedTo` is the time up to which all rounds after `since` are claimed, except those that
 * other transactions have locked. It is undefined if rounds were due, but all of them are locked.
 */
async function startClaimed(
  deps: Deps,
  tx: Transaction,
  since: Date | undefined,
): Promise<StartedRounds & { readonly claimedTo?: Date | undefined }> {
  const now = deps.now();
  const at = openBefore(now);
  const due = await claimDueRounds(tx, { at, since, limit: CLAIM_LIMIT });
  if (due.length === 0) return since ? NOTHING_STARTED : { ...NOTHING_STARTED, claimedTo: at };
  const isBacklog = due.length === CLAIM_LIMIT;
  const limited = due.map((round) => {
    const roundAt = roundTimeOf(round.dueAt, now);
    const isTooLate = roundAt > round.dueAt;
    const isPostponed = isBacklog && round.dueAt < now && (isTooLate || round.missed > 0);
    return { ...round, roundAt, isTooLate, isPostponed, ...limitsOf(roundAt, round.timeoutMs) };
  });
  const started = limited.filter(({ isPostponed }) => !isPostponed);
  const postponed = limited.filter(({ isPostponed }) => isPostponed);
  const missed = limited.flatMap(missedTimes);
  await openRounds(
    tx,
    started.map(({ monitorId, roundAt, deadline }) => ({ monitorId, at: roundAt, deadline, regions: deps.regions })),
  );
  insertMissedRounds(tx, missed);
  await postponeRounds(
    tx,
    postponed.map((round) => ({ monitorId: round.monitorId, at: catchUpTimeOf(round, now) })),
  );
  await deps.checkers.send(started, deps.regions);
  return {
    found: due.length,
    lags: started.map(({ dueAt }) => Math.max(0, now.getTime() - dueAt.getTime()) / 1000),
    missed: missed.reduce((sum, { rounds }) => sum + rounds, 0),
    claimedTo: isBacklog ? due.reduce((last, { wasDueAt }) => (wasDueAt > last ? wasDueAt : last), new Date(0)) : at,
  };
}

/**
 * Returns the missed rounds as a list with one time range, or an empty list if no round was missed. The rounds before
 * the due round count as missed, and so does the due round if it can no longer start in time or is postponed.
 */
function missedTimes(round: DueRound & { readonly isTooLate: boolean; readonly isPostponed: boolean }) {
  const { monitorId, dueAt, missed, intervalSeconds } = round;
  const isDueMissed = round.isTooLate || round.isPostponed;
  const rounds = missed + (isDueMissed ? 1 : 0);
  if (rounds === 0) return [];
  const before = (count: number) => new Date(dueAt.getTime() - count * intervalSeconds * 1000);
  return [
    { monitorId, firstAt: before(missed), lastAt: before(isDueMissed ? 0 : 1), stepSeconds: intervalSeconds, rounds },
  ];
}
