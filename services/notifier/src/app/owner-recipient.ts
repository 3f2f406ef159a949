import { settleMessage } from '../domain/settle-message.ts';
import type { ToOwner } from '../storage/delivery-rows.ts';
import type { Deps } from './ports.ts';
import type { Recipient } from './recipient.ts';

/**
 * Returns the recipient of an email to an owner. The email is retried for days, like messages to subscriptions.
 * Failures have no effect on the recipient.
 */
export function ownerRecipient(
  { sendMail, now, subscriptionWaitsMs: waitsMs }: Deps,
  { deliveryId, organizationId, to }: { deliveryId: string; organizationId: string; to: ToOwner },
): Recipient {
  return {
    type: 'owner',
    send: () => sendMail({ id: deliveryId, tenant: organizationId, to: [to.address], ...to.mail }),
    settle: (outcome, attempt) => settleMessage(outcome, { attempt, now: now(), waitsMs }),
    lock: async () => ({ revision: to.revision, recordFailure: async () => undefined }),
  };
}
