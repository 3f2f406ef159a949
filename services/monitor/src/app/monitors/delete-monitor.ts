import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { monitorDeleted } from '../../events/outgoing.ts';
import { queueHistoryDeletion } from '../../storage/history/deleted-monitor-store.ts';
import { lockMonitor, deleteMonitor as removeMonitor } from '../../storage/monitors/monitor-store.ts';
import type { Deps } from '../ports.ts';
import { requireId, viewOf } from './monitor-view.ts';

/**
 * Deletes a monitor with its schedule and state. Its history is deleted later, by deleteHistory(): results of other
 * monitors can't be recorded while this transaction holds the lock on the monitor, so it must be short.
 */
export async function deleteMonitor({ database, now }: Deps, organizationId: string, id: string): Promise<void> {
  await database.transaction({ organizationId }, async (tx) => {
    const monitor = await lockMonitor(tx, organizationId, requireId(id));
    if (!monitor) throw notFound('monitor');
    const { evaluatorState } = await viewOf(tx, monitor);
    await removeMonitor(tx, organizationId, id);
    await queueHistoryDeletion(tx, monitor, now());
    await appendEvents(tx, [monitorDeleted(monitor, evaluatorState)], now());
  });
}
