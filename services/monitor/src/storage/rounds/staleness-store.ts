import type { Transaction } from '@tocsin/database';
import type { OnlinePeriod } from '../../domain/rounds/staleness.ts';
import { correctFuture } from '../set-back.ts';
import type { Tables } from '../tables.ts';

/** Maximum gap within an online period, in milliseconds. A longer gap starts a new period. */
const GAP_MS = 60_000;

/** Minimum interval between updates of an online period's end, in milliseconds. */
export const NOTE_EVERY_MS = 5_000;

/** Minimum difference, in milliseconds, that shows that the clock was set back. */
const SET_BACK_MS = 10_000;

/** Retention of online periods, in milliseconds: longer than any monitor takes to become stale. */
const KEPT_MS = 4 * 86_400_000;

/**
 * Records that the service was running at `now`, which may be in the past. Returns the periods in which the service was
 * running, oldest first; the last period has not ended yet. If a recorded period ends more than SET_BACK_MS after the
 * time that `readClock` returns, the clock was set back. Stored times that are in the future are then corrected first.
 */
export async function recordOnline(
  tx: Transaction,
  now: Date,
  readClock: () => Promise<Date>,
): Promise<OnlinePeriod[]> {
  // The lock admits one replica at a time, so that only one of them starts a new period after a gap.
  tx.send("select pg_advisory_xact_lock(hashtext(current_schema() || '.presence'))");
  const read = () => tx.query<OnlinePeriod>('select since, seen_at as "seenAt" from presence order by since');
  let known = await read();
  const isBefore = (time: Date) => known.some(({ seenAt }) => seenAt.getTime() - time.getTime() > SET_BACK_MS);
  if (isBefore(now)) {
    // Read the clock after the rows, because another replica may have just written them. `now` may be too early, for
    // example if this host was suspended recently.
    const present = await readClock();
    if (isBefore(present)) {
      await correctFuture(tx, present);
      known = await read();
    }
  }
  const last = known.at(-1);
  const gap = last ? now.getTime() - last.seenAt.getTime() : Number.POSITIVE_INFINITY;
  if (!last || gap > GAP_MS) {
    await tx.query('delete from presence where seen_at < $1', [new Date(now.getTime() - KEPT_MS)]);
    await tx.query('insert into presence (since, seen_at) values ($1, $1) on conflict do nothing', [now]);
    return [...known, { since: now, seenAt: now }];
  }
  if (gap >= NOTE_EVERY_MS) tx.send('update presence set seen_at = $2 where since = $1', [last.since, now]);
  return known;
}

/** Returns the start of the current online period; undefined if none is recorded yet. */
export async function findRunningSince(tx: Transaction): Promise<Date | undefined> {
  const [row] = await tx.query<Pick<OnlinePeriod, 'since'>>('select since from presence order by since desc limit 1');
  return row?.since;
}

/** Starts the staleness checks of monitors; the first check is due at once. */
export function watch(
  tx: Transaction,
  monitors: readonly { readonly id: string; readonly organizationId: string }[],
  now: Date,
): void {
  tx.send(
    `insert into silence_watch (monitor_id, organization_id, watched_from, look_at)
     select id, organization_id, $3, $3 from unnest($1::uuid[], $2::uuid[]) as t(id, organization_id)
     on conflict (monitor_id) do update set watched_from = excluded.watched_from, look_at = excluded.look_at`,
    [monitors.map(({ id }) => id), monitors.map(({ organizationId }) => organizationId), now],
  );
}

export async function unwatch(tx: Transaction, monitorIds: readonly string[]): Promise<void> {
  await tx.query('delete from silence_watch where monitor_id = any($1)', [monitorIds]);
}

/** Returns the monitors whose staleness check is due. */
export async function findDueStalenessChecks(tx: Transaction, now: Date, limit: number): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['silence_watch'], 'monitor_id'>>(
    'select monitor_id from silence_watch where look_at <= $1 order by look_at limit $2',
    [now, limit],
  );
  return rows.map((row) => row.monitor_id);
}

/** Returns, by monitor id, the time from which missing data counts. Omits monitors whose staleness check is not due. */
export async function findWatchedFrom(
  tx: Transaction,
  monitorIds: readonly string[],
  now: Date,
): Promise<Map<string, Date>> {
  const rows = await tx.query<Pick<Tables['silence_watch'], 'monitor_id' | 'watched_from'>>(
    'select monitor_id, watched_from from silence_watch where monitor_id = any($1) and look_at <= $2',
    [monitorIds, now],
  );
  return new Map(rows.map((row) => [row.monitor_id, row.watched_from]));
}

export async function saveStalenessChecks(
  tx: Transaction,
  checks: readonly { readonly monitorId: string; readonly checkAt: Date }[],
): Promise<void> {
  if (checks.length === 0) return;
  await tx.query(
    `update silence_watch set look_at = l.look_at from unnest($1::uuid[], $2::timestamptz[]) as l(monitor_id, look_at)
     where silence_watch.monitor_id = l.monitor_id`,
    [checks.map(({ monitorId }) => monitorId), checks.map(({ checkAt }) => checkAt)],
  );
}
