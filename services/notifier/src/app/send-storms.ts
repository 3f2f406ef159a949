import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import { changesOf, nextMessageAt, stormAlert } from '../domain/storm.ts';
import { insertAlert } from '../storage/alert-store.ts';
import { type AlertedChannel, lockChannels } from '../storage/channel-store.ts';
import { releaseAlone } from '../storage/hold-store.ts';
import { type DeliveryOfStorm, findOfStorm, findStormChannels } from '../storage/queued-deliveries.ts';
import { claimStorms, deleteStorm, lockAlertsOf, markNamed, putOffStorm, type Storm } from '../storage/storm-store.ts';
import { decideAgain, insertByPolicy } from './insert-by-policy.ts';
import type { Deps } from './ports.ts';

const BATCH = 10;

/**
 * Inserts the due messages of storms (many monitors changing at once). Each channel gets one message, which lists the
 * monitors that changed. Ends storms without a change since their previous message.
 */
export async function sendStorms(deps: Deps): Promise<'again' | 'done'> {
  const { database, now } = deps;
  return database.transaction('every organization', async (tx) => {
    const at = now();
    const storms = await claimStorms(tx, at, BATCH);
    for (const storm of storms) await sendStorm(deps, tx, storm, at);
    return storms.length === BATCH ? 'again' : 'done';
  });
}

async function sendStorm(deps: Deps, tx: Transaction, storm: Storm, now: Date): Promise<void> {
  const { id: stormId, organizationId, startedAt, messages } = storm;
  await lockAlertsOf(tx, organizationId);
  const channelIds = await findStormChannels(tx, { organizationId, stormId });
  if (channelIds.length === 0) return deleteStorm(tx, storm);
  // The first message also lists monitors whose alerts were sent before the storm was recognized.
  const since = messages === 0 ? startedAt : undefined;
  for (const channel of await lockChannels(tx, organizationId, channelIds)) {
    let after = '0';
    for (;;) {
      const found = await findOfStorm(tx, { organizationId, stormId, channelId: channel.id, since, after });
      const last = found.at(-1);
      if (!last) break;
      after = last.position;
      await sendListed(deps, tx, { storm, channel, found, now });
    }
  }
  await putOffStorm(tx, storm, nextMessageAt(messages + 1, now));
}

/** Inserts the message of a storm to a channel. If it would list only one change, its alert is sent instead. */
async function sendListed(
  deps: Deps,
  tx: Transaction,
  {
    storm,
    channel,
    found,
    now,
  }: { storm: Storm; channel: AlertedChannel; found: readonly DeliveryOfStorm[]; now: Date },
): Promise<void> {
  const { id: stormId, organizationId } = storm;
  const grouped = found.filter(({ isGrouped }) => isGrouped);
  const [only] = grouped;
  if (!only) return;
  const alerted = new Set(found.filter(({ isAlerted }) => isAlerted).map(({ alert }) => alert.id));
  const changes = changesOf(found.map(({ alert }) => alert)).map((change) =>
    change.alertId !== undefined && alerted.has(change.alertId) ? { ...change, isAlerted: true as const } : change,
  );
  if (changes.length === 1 && grouped.length === 1) {
    const { alert, deliveryId } = only;
    const sent = await decideAgain(deps, tx, { alert, channel, deliveryId });
    const late = { late: false, heldBackUntil: sent?.lastUntil, now };
    if (sent) await releaseAlone(tx, deliveryId, late);
    return;
  }
  const alert = stormAlert({ id: v7(), eventId: v7(), organizationId, stormId, changes, now });
  await insertAlert(tx, alert);
  await insertByPolicy(deps, tx, { alert, channels: [channel] });
  await markNamed(
    tx,
    grouped.map(({ deliveryId }) => deliveryId),
  );
}
