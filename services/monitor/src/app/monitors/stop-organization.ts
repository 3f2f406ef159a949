import type { Transaction } from '@tocsin/database';
import type { OrganizationHooks } from '@tocsin/outbox';
import {
  deleteOldestDay,
  endDeletion,
  lockDeletionOf,
  queueHistoryDeletion,
} from '../../storage/history/deleted-monitor-store.ts';
import { deleteMonitor, lockMonitor, lockMonitors, saveMonitor } from '../../storage/monitors/monitor-store.ts';
import {
  clearStopped,
  listMonitorIds,
  listStoppedIds,
  stopMonitors,
} from '../../storage/monitors/stopped-monitor-store.ts';
import { applySettings } from './apply-settings.ts';

/** Number of monitors that one transaction resumes or deletes. */
const BATCH = 20;

/** Returns the hooks that stop, resume and delete the monitors of an organization. */
export function monitorHooks(now: () => Date): OrganizationHooks {
  return {
    stop: stopMonitors,
    resume: (tx, organizationId) => resumeMonitors(tx, organizationId, now()),
    deleteFirst: (tx, organizationId) => deleteMonitors(tx, organizationId, now()),
  };
}

/** Enables the monitors that were enabled when their organization was stopped, in the same way as updateMonitor(). */
async function resumeMonitors(tx: Transaction, organizationId: string, now: Date): Promise<number> {
  const ids = await listStoppedIds(tx, organizationId, BATCH);
  for (const id of ids) {
    const stopped = await lockMonitor(tx, organizationId, id);
    if (stopped && !stopped.enabled) {
      const monitor = { ...stopped, enabled: true, version: stopped.version + 1, updatedAt: now };
      await saveMonitor(tx, monitor);
      await applySettings(tx, stopped, monitor, now);
    }
    await clearStopped(tx, id);
  }
  return ids.length;
}

/**
 * Deletes a batch of an organization's monitors. If none is left, deletes a day of the history of a deleted monitor.
 * Returns 0 when nothing is left.
 */
async function deleteMonitors(tx: Transaction, organizationId: string, now: Date): Promise<number> {
  const ids = await listMonitorIds(tx, organizationId, BATCH);
  // The first deletion locks the count of monitors, which a transaction that has locked another monitor may wait for.
  await lockMonitors(tx, ids);
  for (const id of ids) {
    await deleteMonitor(tx, organizationId, id);
    await queueHistoryDeletion(tx, { id, organizationId }, now);
  }
  if (ids.length > 0) return ids.length;
  const deleted = await lockDeletionOf(tx, organizationId);
  if (!deleted) return 0;
  if (!(await deleteOldestDay(tx, deleted))) await endDeletion(tx, deleted);
  return 1;
}
