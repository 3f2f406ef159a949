import type { Transaction } from '@tocsin/database';
import { ServiceError } from '@tocsin/errors';
import type { Delivery } from '../domain/delivery.ts';
import type { Outcome } from '../domain/outcome.ts';
import { findDelivery } from '../storage/delivery-reader.ts';
import type { ClaimedDelivery } from '../storage/delivery-rows.ts';
import { insertAttempt } from '../storage/delivery-store.ts';
import { type DeliveryTarget, insertDeliveries } from '../storage/insert-deliveries.ts';
import { makeAttempt } from './make-attempt.ts';
import type { Deps } from './ports.ts';
import { recipientOf } from './recipient.ts';

/**
 * Makes a single test attempt, and then records it as an ended delivery. The transaction that records the delivery
 * first calls `prepare`, which inserts the rows that the delivery refers to and verifies that the recipient still
 * exists.
 */
export async function sendTest(
  deps: Deps,
  test: Pick<ClaimedDelivery, 'id' | 'organizationId' | 'dueAt' | 'to'>,
  prepare: (tx: Transaction, outcome: Outcome) => Promise<DeliveryTarget>,
): Promise<Delivery> {
  const { id, organizationId, to } = test;
  const claimed = {
    ...test,
    attempts: 0,
    leasedUntil: test.dueAt,
    createdAt: test.dueAt,
    slow: false,
    postponed: false,
    toSubscriber: false,
  };
  const { outcome, record } = await makeAttempt(deps, claimed, recipientOf(deps, claimed));
  return deps.database.transaction({ organizationId }, async (tx) => {
    const errand = await prepare(tx, outcome);
    const ended =
      outcome.kind === 'delivered' ? { status: 'sent' as const } : { status: 'failed' as const, error: outcome.error };
    const about = { organizationId, resourceId: to.id, now: test.dueAt };
    insertDeliveries(tx, about, [{ id, ...errand, ...ended }]);
    await insertAttempt(tx, test, record);
    const delivery = await findDelivery(tx, organizationId, id);
    if (!delivery) throw new ServiceError('internal', 'a delivery that was just written can not be read');
    return delivery;
  });
}
