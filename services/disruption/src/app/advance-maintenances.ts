import { appendEvents } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { moveOn } from '../domain/maintenance.ts';
import { disruptionChanged } from '../events/outgoing.ts';
import { listDue, lockDisruption, saveDisruption } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

const BATCH = 50;

/**
 * Starts and completes the maintenances that are due. Returns `again` if more of them may be due. Several replicas may
 * run this function concurrently.
 */
export async function advanceMaintenances({ database, now, senderAddress }: Deps): Promise<'again' | 'done'> {
  const due = await database.transaction('every organization', (tx) => listDue(tx, now(), BATCH));
  for (const { organizationId, id } of due) {
    await database.transaction({ organizationId }, async (tx) => {
      const before = await lockDisruption(tx, organizationId, id, 'skip');
      if (!before) return;
      const posting = { updateId: v7(), now: now(), postedBy: senderAddress };
      const after = moveOn(before, posting);
      if (!after) return;
      await saveDisruption(tx, after);
      await appendEvents(tx, [disruptionChanged(before, after)], posting.now);
    });
  }
  return due.length === BATCH ? 'again' : 'done';
}
