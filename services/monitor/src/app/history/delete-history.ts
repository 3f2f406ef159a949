import {
  deleteOldestDay,
  endDeletion,
  lockDueDeletion,
  postponeDeletion,
} from '../../storage/history/deleted-monitor-store.ts';
import type { Deps } from '../ports.ts';

/**
 * Milliseconds after the deletion of a monitor during which rows of its history may still be inserted, by transactions
 * that found the monitor before its deletion.
 */
export const LATE_ROWS_MS = 5 * 60_000;

/**
 * Deletes one day of the history of one deleted monitor. Returns `again` if there may be more to delete now. Several
 * replicas may run this concurrently.
 */
export async function deleteHistory({ database, now }: Deps): Promise<'again' | 'done'> {
  return database.transaction('every organization', async (tx) => {
    const at = now();
    const monitor = await lockDueDeletion(tx, at);
    if (!monitor) return 'done';
    const lateRowsUntil = new Date(monitor.deletedAt.getTime() + LATE_ROWS_MS);
    if (await deleteOldestDay(tx, monitor)) await postponeDeletion(tx, monitor, at);
    else if (at < lateRowsUntil) await postponeDeletion(tx, monitor, lateRowsUntil);
    else await endDeletion(tx, monitor);
    return 'again';
  });
}
