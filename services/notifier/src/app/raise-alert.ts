import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Alert } from '../domain/alert.ts';
import { insertAlert } from '../storage/alert-store.ts';
import { lockEnabledChannelIds } from '../storage/channel-store.ts';
import { insertDeliveries } from '../storage/insert-deliveries.ts';
import type { Deps } from './ports.ts';

/**
 * Writes an alert with one delivery for each of the channels that exists and is enabled, inside the transaction in
 * which the fact behind it counts. Workers everywhere are woken by its commit.
 */
export async function raiseAlert(
  { now }: Deps,
  { tx, alert, channelIds }: { tx: Transaction; alert: Omit<Alert, 'id'>; channelIds: readonly string[] },
): Promise<void> {
  const { organizationId, monitor } = alert;
  const told = await lockEnabledChannelIds(tx, organizationId, channelIds);
  const alertId = v7();
  if (told.length === 0 || !(await insertAlert(tx, { id: alertId, ...alert }))) return;
  await insertDeliveries(
    tx,
    { organizationId, resourceId: monitor.id, now: now() },
    told.map((channelId) => ({ id: v7(), alertId, channelId, status: 'pending' })),
  );
}
