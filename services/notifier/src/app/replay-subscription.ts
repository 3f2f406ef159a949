import { invalid, notFound, ServiceError } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { MAX_REPLAYED, problemOfSince } from '../domain/replay.ts';
import { findUnsentMessages } from '../storage/delivery-store.ts';
import { makeDueAgain } from '../storage/held-store.ts';
import { lockSubscription } from '../storage/subscription-store.ts';
import type { Deps } from './ports.ts';

/**
 * Resends messages that a subscription did not receive. Includes only messages from the given time or later, and at
 * most the MAX_REPLAYED oldest ones. Returns the number of deliveries that are due again.
 * @throws ServiceError `not_found`, `invalid` if the time is too long ago, `conflict` while the subscription is
 * disabled.
 */
export async function replaySubscription(
  { database, now }: Deps,
  { organizationId, id, since }: { organizationId: string; id: string; since: Date },
): Promise<number> {
  if (!isId(id)) throw notFound('webhook');
  return database.transaction({ organizationId }, async (tx) => {
    const subscription = await lockSubscription(tx, organizationId, id);
    if (!subscription) throw notFound('webhook');
    const problem = problemOfSince(since, now());
    if (problem) throw invalid({ since: [problem] });
    if (!subscription.enabled)
      throw new ServiceError('conflict', 'the webhook is disabled: PATCH it with {"enabled": true} first');
    const ids = await findUnsentMessages(tx, { organizationId, subscriptionId: id }, { since, limit: MAX_REPLAYED });
    return makeDueAgain(tx, { ids, organizationId }, now());
  });
}
