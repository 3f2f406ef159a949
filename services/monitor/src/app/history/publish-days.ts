import { appendEvents } from '@tocsin/outbox';
import { dayCounted } from '../../events/outgoing.ts';
import { popDays } from '../../storage/history/day-store.ts';
import type { Deps } from '../ports.ts';

/**
 * Maximum number of days in one transaction. The number is small, because transactions with other events about the same
 * monitors have to wait for this transaction.
 */
const LIMIT = 500;

/** Publishes the daily counts that are new or have changed. */
export async function publishDays(deps: Deps): Promise<'again' | 'done'> {
  return deps.database.transaction('every organization', async (tx) => {
    const days = await popDays(tx, LIMIT);
    await appendEvents(tx, days.map(dayCounted), deps.now());
    return days.length === LIMIT ? 'again' : 'done';
  });
}
