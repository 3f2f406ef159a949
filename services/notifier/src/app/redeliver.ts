import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import type { Delivery } from '../domain/delivery.ts';
import { findDelivery } from '../storage/delivery-reader.ts';
import { insertAttempt, markSent } from '../storage/delivery-store.ts';
import { findForAttempt } from '../storage/queued-deliveries.ts';
import { limitManualAttempts } from './limit-manual-attempts.ts';
import { makeAttempt } from './make-attempt.ts';
import type { Deps } from './ports.ts';
import { recipientOf } from './recipient.ts';

/**
 * Makes one additional attempt at a delivery immediately, under the same id and ahead of waiting deliveries. A success
 * marks the delivery as sent. A failure does not change the delivery or its retry schedule.
 * @throws ServiceError `not_found`, `rate_limited` after too many tests and redeliveries within an hour.
 */
export async function redeliver(
  deps: Deps,
  { organizationId, subscriptionId, id }: { organizationId: string; subscriptionId: string; id: string },
): Promise<Delivery> {
  if (!isId(subscriptionId) || !isId(id)) throw notFound('delivery');
  const claimed = await deps.database.transaction({ organizationId }, async (tx) => {
    const found = await findForAttempt(tx, organizationId, { id, recipientId: subscriptionId });
    if (!found) throw notFound('delivery');
    await limitManualAttempts(tx, { organizationId, id: subscriptionId, kind: 'webhook' }, deps.now());
    return found;
  });
  const { outcome, record } = await makeAttempt(deps, claimed, recipientOf(deps, claimed));
  return deps.database.transaction({ organizationId }, async (tx) => {
    await insertAttempt(tx, claimed, record);
    if (outcome.kind === 'delivered') await markSent(tx, claimed, deps.now());
    const delivery = await findDelivery(tx, organizationId, id);
    if (!delivery) throw notFound('delivery');
    return delivery;
  });
}
