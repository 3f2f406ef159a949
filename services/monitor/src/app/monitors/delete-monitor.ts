import { LONG_STATEMENTS, type Transaction } from '@tocsin/database';
import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { monitorDeleted } from '../../events/outgoing.ts';
import { lockMonitor, deleteMonitor as removeMonitor } from '../../storage/monitors/monitor-store.ts';
import type { Deps } from '../ports.ts';
import { requireId } from './monitor-view.ts';

/** Deletes a monitor with its schedule, state and history. */
export async function deleteMonitor(deps: Deps, organizationId: string, id: string): Promise<void> {
  const remove = async (tx: Transaction) => {
    const monitor = await lockMonitor(tx, organizationId, requireId(id));
    if (!monitor) throw notFound('monitor');
    await removeMonitor(tx, organizationId, id);
    await appendEvents(tx, [monitorDeleted(monitor)], deps.now());
  };
  await deps.database.transaction({ organizationId }, remove, LONG_STATEMENTS);
}
