import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import { acknowledge } from '../domain/acknowledge.ts';
import type { Disruption } from '../domain/disruption.ts';
import { disruptionChanged } from '../events/outgoing.ts';
import { lockDisruption, saveDisruption } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

/**
 * Records the person who is taking care of an open disruption. A repeated call has no effect.
 * @throws ServiceError `not_found`, or `conflict` if the disruption has ended.
 */
export async function acknowledgeDisruption(
  { database, now }: Deps,
  { organizationId, id, by }: { organizationId: string; id: string; by: string },
): Promise<Disruption> {
  if (!isId(id)) throw notFound('disruption');
  return database.transaction({ organizationId }, async (tx) => {
    const before = await lockDisruption(tx, organizationId, id);
    if (!before) throw notFound('disruption');
    const at = now();
    const after = acknowledge(before, { at, by });
    if (after === before) return before;
    await saveDisruption(tx, after);
    await appendEvents(tx, [disruptionChanged(before, after)], at);
    return after;
  });
}
