import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Alert } from '../domain/alert.ts';
import { insertAlert } from '../storage/alert-store.ts';
import { lockAlertedChannels } from '../storage/channel-store.ts';
import { insertDeliveries } from '../storage/insert-deliveries.ts';
import type { Deps } from './ports.ts';

/** Why a delivery is held, for a person. */
export const HELD = 'the channel is broken; this is sent late if it is healthy again within 24 hours';

/**
 * Writes an alert with one delivery for each of the channels that is enabled, or that holds it because it is broken,
 * inside the transaction in which the fact behind it counts. Workers everywhere are woken by its commit.
 */
export async function raiseAlert(
  { now }: Deps,
  { tx, alert, channelIds }: { tx: Transaction; alert: Omit<Alert, 'id'>; channelIds: readonly string[] },
): Promise<void> {
  const { organizationId, monitor } = alert;
  const channels = await lockAlertedChannels(tx, organizationId, channelIds);
  const alertId = v7();
  if (channels.length === 0 || !(await insertAlert(tx, { id: alertId, ...alert }))) return;
  await insertDeliveries(
    tx,
    { organizationId, resourceId: monitor.id, now: now() },
    channels.map(({ id: channelId, isBroken }) =>
      isBroken
        ? { id: v7(), alertId, channelId, status: 'held', error: HELD }
        : { id: v7(), alertId, channelId, status: 'pending' },
    ),
  );
}
