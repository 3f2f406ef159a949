import { LONG_STATEMENTS } from '@tocsin/database';
import { removeRetiredChannels } from '../storage/channel-store.ts';
import { deleteOld } from '../storage/delete-old.ts';
import { deleteMailCounts } from '../storage/mail-recipient-store.ts';
import { deleteManualAttemptCounts } from '../storage/manual-attempt-store.ts';
import { deleteEndedPauses } from '../storage/paused-recipient-store.ts';
import type { Deps } from './ports.ts';

/** Retention time of ended deliveries and their attempts. */
const KEPT_MS = 30 * 24 * 3_600_000;
/** Retention time of counts of emails and manual attempts. Counts of past hours are not used. */
const COUNTS_KEPT_MS = 2 * 3_600_000;
const BATCH = 1_000;

/**
 * Deletes a batch of deliveries whose retention time has passed. Also deletes the rows of deleted channels that have no
 * pending delivery to close an incident.
 */
export async function deleteOldDeliveries({ database, now }: Deps): Promise<'again' | 'done'> {
  const before = new Date(now().getTime() - KEPT_MS);
  const deleted = await database.transaction(
    'every organization',
    async (tx) => {
      await removeRetiredChannels(tx);
      const countsBefore = new Date(now().getTime() - COUNTS_KEPT_MS);
      await deleteMailCounts(tx, countsBefore);
      await deleteManualAttemptCounts(tx, countsBefore);
      await deleteEndedPauses(tx, now());
      return deleteOld(tx, before, BATCH);
    },
    LONG_STATEMENTS,
  );
  return deleted === BATCH ? 'again' : 'done';
}
