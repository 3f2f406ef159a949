import type { Transaction } from '@tocsin/database';
import type { DownWatch, Opened } from '../../domain/auto-disable/auto-disable.ts';
import type { Tables } from '../tables.ts';

export interface WatchOfMonitor {
  readonly monitorId: string;
  readonly organizationId: string;
  readonly watch: DownWatch;
}

export function saveDownWatches(tx: Transaction, entries: readonly WatchOfMonitor[]): void {
  if (entries.length === 0) return;
  tx.send(
    `insert into down_watch (monitor_id, organization_id, down_since, warnings, due_at)
     select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::smallint[], $5::timestamptz[])
     on conflict (monitor_id) do update set down_since = excluded.down_since, warnings = excluded.warnings, due_at = excluded.due_at`,
    [
      entries.map(({ monitorId }) => monitorId),
      entries.map(({ organizationId }) => organizationId),
      entries.map(({ watch }) => watch.downSince),
      entries.map(({ watch }) => watch.warnings),
      entries.map(({ watch }) => watch.dueAt),
    ],
  );
}

export function deleteDownWatches(tx: Transaction, monitorIds: readonly string[]): void {
  if (monitorIds.length === 0) return;
  tx.send('delete from down_watch where monitor_id = any($1)', [monitorIds]);
}

/** SQL expression for the time at which findLongDown() finds a monitor. */
export const LONG_DOWN_DUE = '(select min(due_at) from down_watch)';

/** Returns the monitors whose next auto-disable step is due, the most overdue first. */
export async function findLongDown(tx: Transaction, now: Date, limit: number): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['down_watch'], 'monitor_id'>>(
    'select monitor_id from down_watch where due_at <= $1 order by due_at limit $2',
    [now, limit],
  );
  return rows.map((row) => row.monitor_id);
}

/** Returns the auto-disable states (DownWatch) of the monitors that are down, by monitor id. */
export async function findDownWatches(tx: Transaction, monitorIds: readonly string[]): Promise<Map<string, DownWatch>> {
  const rows = await tx.query<DownWatch & { monitorId: string }>(
    `select monitor_id as "monitorId", down_since as "downSince", warnings, due_at as "dueAt"
     from down_watch where monitor_id = any($1)`,
    [monitorIds],
  );
  return new Map(rows.map(({ monitorId, ...watch }) => [monitorId, watch]));
}

/**
 * Records that an automatic disruption of a monitor was opened, and deletes the monitor's records from before `since`.
 * Returns the remaining records, oldest first.
 */
export async function addAutomaticDisruption(
  tx: Transaction,
  monitor: { readonly id: string; readonly organizationId: string },
  { disruptionId, at, since }: { readonly disruptionId: string; readonly at: Date; readonly since: Date },
): Promise<Opened[]> {
  await tx.query('delete from automatic_disruption where monitor_id = $1 and opened_at < $2', [monitor.id, since]);
  await tx.query(
    `insert into automatic_disruption (disruption_id, monitor_id, organization_id, opened_at, warned)
     values ($1, $2, $3, $4, false)`,
    [disruptionId, monitor.id, monitor.organizationId, at],
  );
  return tx.query<Opened>(
    'select opened_at as at, warned from automatic_disruption where monitor_id = $1 order by opened_at',
    [monitor.id],
  );
}

export async function markWarned(tx: Transaction, disruptionId: string): Promise<void> {
  await tx.query('update automatic_disruption set warned = true where disruption_id = $1', [disruptionId]);
}

/**
 * Deletes the auto-disable state (DownWatch) of a disabled monitor and the records of its automatic disruptions, so
 * that the monitor starts without them when it is enabled again.
 */
export async function clearDownHistory(tx: Transaction, monitorId: string): Promise<void> {
  deleteDownWatches(tx, [monitorId]);
  await tx.query('delete from automatic_disruption where monitor_id = $1', [monitorId]);
}
