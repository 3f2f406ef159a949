import { appendEvents } from '@tocsin/outbox';
import { dayCounted } from '../../events/outgoing.ts';
import { popDays } from '../../storage/history/day-store.ts';
import type { Deps } from '../ports.ts';

/** How many go into one transaction. It must be short, because events of one monitor wait for each other. */
const LIMIT = 500;

/** Publishes days that were counted or have changed. */
export async function publishDays(deps: Deps): Promise<'again' | 'done'> {
  return deps.database.transaction('every organization', async (tx) => {
    const days = await popDays(tx, LIMIT);
    await appendEvents(tx, days.map(dayCounted), deps.now());
    return days.length === LIMIT ? 'again' : 'done';
  });
}
