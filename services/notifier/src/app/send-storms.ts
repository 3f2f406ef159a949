import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import { changesOf, nextMessageAt, stormAlert } from '../domain/storm.ts';
import { insertAlert } from '../storage/alert-store.ts';
import { findOfStorm } from '../storage/claim-deliveries.ts';
import { insertDeliveries } from '../storage/insert-deliveries.ts';
import {
  claimStorms,
  deleteStorm,
  lockAlertsOf,
  markNamed,
  putOffStorm,
  type Storm,
  ungroup,
} from '../storage/storm-store.ts';
import type { Deps } from './ports.ts';

const BATCH = 10;

/**
 * Inserts the due messages of storms: one for each channel, which names every monitor that changed. Ends storms in
 * which nothing has changed since their last message.
 */
export async function sendStorms({ database, now }: Deps): Promise<'again' | 'done'> {
  return database.transaction('every organization', async (tx) => {
    const at = now();
    const storms = await claimStorms(tx, at, BATCH);
    for (const storm of storms) await sendStorm(tx, storm, at);
    return storms.length === BATCH ? 'again' : 'done';
  });
}

async function sendStorm(tx: Transaction, storm: Storm, now: Date): Promise<void> {
  const { id: stormId, organizationId, startedAt, messages } = storm;
  await lockAlertsOf(tx, organizationId);
  // The first message also names monitors whose alerts were sent before the storm was recognized.
  const since = messages === 0 ? startedAt : undefined;
  const found = await findOfStorm(tx, { organizationId, stormId, since });
  if (found.length === 0) return deleteStorm(tx, storm);
  for (const [channelId, deliveries] of Map.groupBy(found, (delivery) => delivery.channelId)) {
    const changes = changesOf(deliveries.map(({ alert }) => alert));
    const grouped = deliveries.filter(({ isGrouped }) => isGrouped).map(({ deliveryId }) => deliveryId);
    const [only] = grouped;
    if (changes.length === 1 && grouped.length === 1 && only !== undefined) {
      await ungroup(tx, only, now);
      continue;
    }
    const alert = stormAlert({ id: v7(), eventId: v7(), organizationId, stormId, changes, now });
    await insertAlert(tx, alert);
    const target = { id: v7(), alertId: alert.id, channelId, status: 'pending' } as const;
    await insertDeliveries(tx, { organizationId, resourceId: stormId, now }, [target]);
    await markNamed(tx, grouped);
  }
  await putOffStorm(tx, storm, nextMessageAt(messages + 1, now));
}
