import type { Transaction } from '@tocsin/database';
import { shownStatus } from '../domain/shown-status.ts';
import { lockStatuses } from '../storage/component-store.ts';
import {
  claimWithoutInterval,
  deleteOldIntervals,
  readStatusInputs,
  recordStatuses,
} from '../storage/interval-store.ts';
import type { Deps } from './ports.ts';

/**
 * Determines the statuses that components currently show to visitors, and records them with the start time `at`. Every
 * transaction that can change these statuses must call this function after the change. Locks the components, so that
 * the second of two concurrent transactions sees both changes.
 */
export async function recordShownStatuses(
  tx: Transaction,
  organizationId: string,
  componentIds: readonly string[],
  at: Date,
): Promise<void> {
  if (componentIds.length === 0) return;
  await lockStatuses(tx, organizationId, componentIds);
  const inputs = await readStatusInputs(tx, organizationId, componentIds);
  const statuses = inputs.map(({ componentId, status, monitors }) => ({
    componentId,
    status: shownStatus([status], monitors),
  }));
  await recordStatuses(tx, organizationId, statuses, at);
}

/** Days for which ended intervals are stored. A page shows 90 of these days. */
const KEPT_DAYS = 100;
const DAY_MS = 24 * 3_600_000;
const BATCH = 500;

/**
 * Starts an interval for each component that was created before intervals were recorded, and deletes old intervals.
 * Returns `again` if there may be more components or intervals to process.
 */
export async function maintainIntervals({ database, now }: Pick<Deps, 'database' | 'now'>): Promise<'again' | 'done'> {
  const at = now();
  const before = new Date(at.getTime() - KEPT_DAYS * DAY_MS);
  return database.transaction('every organization', async (tx) => {
    const claimed = await claimWithoutInterval(tx, BATCH);
    for (const [organizationId, components] of Map.groupBy(claimed, (component) => component.organizationId)) {
      const ids = components.map(({ componentId }) => componentId);
      await recordShownStatuses(tx, organizationId, ids, at);
    }
    const deleted = await deleteOldIntervals(tx, { before, limit: BATCH });
    return claimed.length === BATCH || deleted === BATCH ? 'again' : 'done';
  });
}
