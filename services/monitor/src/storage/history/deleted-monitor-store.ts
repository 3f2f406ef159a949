import type { Transaction } from '@tocsin/database';
import type { Tables } from '../tables.ts';

/** A deleted monitor whose history is still to be deleted. */
export interface DeletedMonitor {
  readonly monitorId: string;
  readonly organizationId: string;
  readonly deletedAt: Date;
}

export async function queueHistoryDeletion(
  tx: Transaction,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
  now: Date,
): Promise<void> {
  await tx.query(
    'insert into deleted_monitor (monitor_id, organization_id, deleted_at, due_at) values ($1, $2, $3, $3)',
    [id, organizationId, now],
  );
}

/** SQL expression for the time at which lockDueDeletion() may find a monitor. */
export const DELETION_DUE = '(select min(due_at) from deleted_monitor)';

/**
 * Returns the deleted monitor whose history has been due for the longest time, and locks it until the transaction ends.
 * Skips monitors that another transaction has locked. Needs a transaction across organizations.
 */
export async function lockDueDeletion(tx: Transaction, now: Date): Promise<DeletedMonitor | undefined> {
  const [row] = await tx.query<Tables['deleted_monitor']>(
    'select * from deleted_monitor where due_at <= $1 order by due_at limit 1 for update skip locked',
    [now],
  );
  return row && toDeletedMonitor(row);
}

/** Returns a deleted monitor of an organization, due or not, and locks it until the transaction ends. */
export async function lockDeletionOf(tx: Transaction, organizationId: string): Promise<DeletedMonitor | undefined> {
  const [row] = await tx.query<Tables['deleted_monitor']>(
    'select * from deleted_monitor where organization_id = $1 order by monitor_id limit 1 for update',
    [organizationId],
  );
  return row && toDeletedMonitor(row);
}

function toDeletedMonitor(row: Tables['deleted_monitor']): DeletedMonitor {
  return { monitorId: row.monitor_id, organizationId: row.organization_id, deletedAt: row.deleted_at };
}

/** Tables with many rows for each monitor: up to 8,640 a day. */
const LARGE_TABLES = ['check_result', 'script_run', 'screenshot'] as const;
const SMALL_TABLES = ['result_hour', 'result_day', 'roll_up_due'] as const;

/** Deletes the oldest day of a monitor's history from each table. Returns whether there may be more. */
export async function deleteOldestDay(tx: Transaction, { monitorId }: DeletedMonitor): Promise<boolean> {
  for (const table of SMALL_TABLES) await tx.query(`delete from ${table} where monitor_id = $1`, [monitorId]);
  let mayHaveMore = false;
  for (const table of LARGE_TABLES) {
    const [oldest] = await tx.query<{ at: Date | null }>(
      `select min(round_at) as at from ${table} where monitor_id = $1`,
      [monitorId],
    );
    if (!oldest?.at) continue;
    mayHaveMore = true;
    await tx.query(`delete from ${table} where monitor_id = $1 and round_at < $2::timestamptz + interval '1 day'`, [
      monitorId,
      oldest.at,
    ]);
  }
  return mayHaveMore;
}

export async function postponeDeletion(tx: Transaction, { monitorId }: DeletedMonitor, dueAt: Date): Promise<void> {
  await tx.query('update deleted_monitor set due_at = $2 where monitor_id = $1', [monitorId, dueAt]);
}

export async function endDeletion(tx: Transaction, { monitorId }: DeletedMonitor): Promise<void> {
  await tx.query('delete from deleted_monitor where monitor_id = $1', [monitorId]);
}
