import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import type { MonitorCondition } from '../domain/shown-status.ts';
import { publicPageChanged } from '../events/outgoing.ts';
import { findLinkedMonitors, listLinkedIds, listLinkedPageIds } from '../storage/component-store.ts';
import { saveMonitorConditions } from '../storage/monitor-condition-store.ts';
import { recordShownStatuses } from './record-statuses.ts';

/** A condition that a monitor has since `at`. */
export interface ConditionChange {
  readonly monitorId: string;
  readonly condition: MonitorCondition;
  readonly at: Date;
}

/**
 * Records the conditions of different monitors. For each condition that changed, records the statuses of the linked
 * components, and publishes a change of each page that contains one of them.
 */
export async function recordConditions(
  tx: Transaction,
  organizationId: string,
  changes: readonly ConditionChange[],
): Promise<void> {
  // Both statements are sent together. The second one sees links that were committed while the first one waited.
  const [changed, linked] = await Promise.all([
    saveMonitorConditions(tx, organizationId, changes),
    findLinkedMonitors(
      tx,
      organizationId,
      changes.map(({ monitorId }) => monitorId),
    ),
  ]);
  const linkedIds = new Set(linked);
  const changedIds = new Set(changed);
  for (const { monitorId, at } of changes) {
    if (!changedIds.has(monitorId) || !linkedIds.has(monitorId)) continue;
    await recordShownStatuses(tx, organizationId, await listLinkedIds(tx, organizationId, monitorId), at);
    const pageIds = await listLinkedPageIds(tx, organizationId, monitorId);
    await appendEvents(
      tx,
      pageIds.map((id) => publicPageChanged({ organizationId, id })),
      at,
    );
  }
}
