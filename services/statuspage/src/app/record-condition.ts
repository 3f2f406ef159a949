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
  const changed = await saveMonitorConditions(tx, organizationId, changes);
  if (changed.length === 0) return;
  const linked = await findLinkedMonitors(tx, organizationId, changed);
  for (const { monitorId, at } of changes) {
    if (!linked.includes(monitorId)) continue;
    await recordShownStatuses(tx, organizationId, await listLinkedIds(tx, organizationId, monitorId), at);
    const pageIds = await listLinkedPageIds(tx, organizationId, monitorId);
    await appendEvents(
      tx,
      pageIds.map((id) => publicPageChanged({ organizationId, id })),
      at,
    );
  }
}
