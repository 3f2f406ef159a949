import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import { disruptionDeleted } from '../events/outgoing.ts';
import { lockDisruption, deleteDisruption as remove } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

/**
 * Deletes an open or ended disruption with its timeline.
 * @throws ServiceError `not_found`.
 */
export async function deleteDisruption(
  { database, now }: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  if (!isId(id)) throw notFound('disruption');
  await database.transaction({ organizationId }, async (tx) => {
    const disruption = await lockDisruption(tx, organizationId, id);
    if (!disruption) throw notFound('disruption');
    await remove(tx, disruption);
    await appendEvents(tx, [disruptionDeleted(disruption)], now());
  });
}
