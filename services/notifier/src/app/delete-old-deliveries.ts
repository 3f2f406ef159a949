import { LONG_STATEMENTS, type Transaction } from '@tocsin/database';
import { UNCONFIRMED_MS } from '../domain/subscriber.ts';
import { removeRetiredChannels } from '../storage/channel-store.ts';
import { deleteOld, deleteOldNotices } from '../storage/delete-old.ts';
import { deleteMailCounts } from '../storage/mail-recipient-store.ts';
import { deleteManualAttemptCounts } from '../storage/manual-attempt-store.ts';
import { deleteEndedPauses } from '../storage/paused-recipient-store.ts';
import { deleteOldSlow } from '../storage/slow-recipient-store.ts';
import { deleteSubscriberMailCounts, deleteUnconfirmed } from '../storage/subscriber-store.ts';
import type { Deps } from './ports.ts';

/** Retention time of ended deliveries and their attempts. */
const KEPT_MS = 30 * 24 * 3_600_000;
/** Retention time of counts of emails and manual attempts. Counts of past hours are not used. */
const COUNTS_KEPT_MS = 2 * 3_600_000;
/** Retention time of ended deliveries to subscribers. The API does not list them, and there can be many. */
const NOTICES_KEPT_MS = 2 * 24 * 3_600_000;
/** Retention time of recipients that timed out. If they time out again, they are recorded again. */
const SLOW_KEPT_MS = 24 * 3_600_000;
const BATCH = 1_000;

/**
 * Deletes a batch of deliveries whose retention time has passed. Also deletes the rows of deleted channels that have no
 * pending delivery to close an incident, and the subscribers of status pages that did not confirm in time.
 */
export async function deleteOldDeliveries({
  database,
  now,
}: Pick<Deps, 'database' | 'now'>): Promise<'again' | 'done'> {
  const before = new Date(now().getTime() - KEPT_MS);
  const remove = async (tx: Transaction) => {
    await removeRetiredChannels(tx);
    const countsBefore = new Date(now().getTime() - COUNTS_KEPT_MS);
    await deleteMailCounts(tx, countsBefore);
    await deleteManualAttemptCounts(tx, countsBefore);
    await deleteEndedPauses(tx, now());
    const at = now().getTime();
    await deleteOldSlow(tx, new Date(at - SLOW_KEPT_MS));
    await deleteSubscriberMailCounts(tx, new Date(at - NOTICES_KEPT_MS));
    await deleteUnconfirmed(tx, new Date(at - UNCONFIRMED_MS));
    const notices = await deleteOldNotices(tx, new Date(at - NOTICES_KEPT_MS), BATCH);
    return Math.max(notices, await deleteOld(tx, before, BATCH));
  };
  const deleted = await database.transaction('every organization', remove, LONG_STATEMENTS);
  return deleted === BATCH ? 'again' : 'done';
}
