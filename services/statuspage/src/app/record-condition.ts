import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import type { MonitorCondition } from '../domain/shown-status.ts';
import { publicPageChanged } from '../events/outgoing.ts';
import { listLinkedIds, listLinkedPageIds } from '../storage/component-store.ts';
import { type MonitorKey, saveMonitorCondition } from '../storage/monitor-condition-store.ts';
import { recordShownStatuses } from './record-statuses.ts';

/**
 * Records the condition of a monitor. If the condition changed, records the statuses of the linked components, and
 * publishes a change of each page that contains one of them.
 */
export async function recordCondition(
  tx: Transaction,
  key: MonitorKey,
  condition: MonitorCondition,
  now: Date,
): Promise<void> {
  if (!(await saveMonitorCondition(tx, key, condition))) return;
  const { organizationId, monitorId } = key;
  await recordShownStatuses(tx, organizationId, await listLinkedIds(tx, organizationId, monitorId), now);
  const pageIds = await listLinkedPageIds(tx, organizationId, monitorId);
  await appendEvents(
    tx,
    pageIds.map((id) => publicPageChanged({ organizationId, id })),
    now,
  );
}
