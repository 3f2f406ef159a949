import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import { changesOf, nextMessageAt, stormAlert } from '../domain/storm.ts';
import { insertAlert } from '../storage/alert-store.ts';
import { type AlertedChannel, lockChannels } from '../storage/channel-store.ts';
import { releaseAlone } from '../storage/hold-store.ts';
import { type DeliveryOfStorm, findOfStorm, findStormChannels } from '../storage/queued-deliveries.ts';
import {
  deleteStorm,
  findDueStorms,
  lockAlertsOf,
  lockDueStorm,
  markNamed,
  postponeStorm,
  putOffStorm,
  type Storm,
  type StormKey,
} from '../storage/storm-store.ts';
import { decideAgain, insertByPolicy } from './insert-by-policy.ts';
import type { Deps } from './ports.ts';

/** Maximum number of storms that are processed at the same time, each with a database connection. */
const BATCH = 4;
/** Time after which a storm whose messages failed is tried again. */
const TRY_AGAIN_MS = 10_000;

type StormDeps = Pick<Deps, 'database' | 'now' | 'maxMessagesPerHour' | 'logger'>;

/**
 * Inserts the due messages of storms (many monitors changing at once). Each channel gets one message, which lists the
 * monitors that changed. Ends storms without a change since their previous message. An error of one storm is logged,
 * and the storm is tried again later.
 */
export async function sendStorms(deps: StormDeps): Promise<'again' | 'done'> {
  const { database, now } = deps;
  const due = await database.transaction('every organization', (tx) => findDueStorms(tx, now(), BATCH));
  // Each storm has its own transaction, because it locks the alerts of its organization.
  await Promise.all(
    due.map((key) =>
      database
        .transaction({ organizationId: key.organizationId }, async (tx) => {
          const at = now();
          const storm = await lockDueStorm(tx, key, at);
          if (storm) await sendStorm(deps, tx, storm, at);
        })
        .catch((error) => tryLater(deps, key, error)),
    ),
  );
  return due.length === BATCH ? 'again' : 'done';
}

/** Logs an error, and postpones the storm, so that it does not occupy the next batch. */
async function tryLater({ database, now, logger }: StormDeps, storm: StormKey, error: unknown): Promise<void> {
  const { organizationId } = storm;
  logger.error(
    { err: error, organization_id: organizationId },
    'the messages of a storm failed and will be tried again',
  );
  const at = now();
  const until = new Date(at.getTime() + TRY_AGAIN_MS);
  await database.transaction({ organizationId }, (tx) => postponeStorm(tx, storm, { now: at, until }));
}

async function sendStorm(deps: StormDeps, tx: Transaction, storm: Storm, now: Date): Promise<void> {
  const { id: stormId, organizationId, startedAt, messages } = storm;
  lockAlertsOf(tx, organizationId);
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
  deps: StormDeps,
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
