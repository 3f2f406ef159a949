import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { v7 } from 'uuid';
import type { Delivery } from '../domain/delivery.ts';
import { type Message, testBody } from '../domain/message.ts';
import { enableAgain } from '../domain/subscription.ts';
import { insertMessage } from '../storage/message-store.ts';
import {
  findSubscription,
  lockSubscription,
  readSealedSecret,
  saveSubscription,
} from '../storage/subscription-store.ts';
import { limitManualAttempts } from './limit-manual-attempts.ts';
import type { Deps } from './ports.ts';
import { sendTest } from './send-test.ts';

/**
 * Sends a test message immediately, even to a disabled subscription, and records it as a delivery. A failure does not
 * change the subscription.
 * @throws ServiceError `not_found`, `rate_limited` after too many tests and redeliveries within an hour.
 */
export async function testSubscription(
  deps: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<Delivery> {
  if (!isId(id)) throw notFound('webhook');
  const occurredAt = deps.now();
  const body = testBody(id, occurredAt);
  const message: Message = { id: v7(), organizationId, eventId: v7(), kind: 'webhook.test', body, occurredAt };
  const to = await deps.database.transaction({ organizationId }, async (tx) => {
    const subscription = await findSubscription(tx, organizationId, id);
    if (!subscription) throw notFound('webhook');
    await limitManualAttempts(tx, { organizationId, id, kind: 'webhook' }, occurredAt);
    const { url, enabled, revision } = subscription;
    const sealedSecret = await readSealedSecret(tx, organizationId, id);
    const previous = undefined;
    return { kind: 'subscription', isBroken: false, id, url, enabled, revision, sealedSecret, previous, body } as const;
  });
  return sendTest(deps, { id: v7(), organizationId, dueAt: occurredAt, to }, async (tx, { kind }) => {
    const subscription = await lockSubscription(tx, organizationId, id);
    if (!subscription) throw notFound('webhook');
    if (kind === 'delivered' && subscription.disabled)
      await saveSubscription(tx, enableAgain(subscription, deps.now()));
    await insertMessage(tx, message);
    return { messageId: message.id, subscriptionId: id };
  });
}
