import { settleMessage } from '../domain/settle-message.ts';
import type { ToOwner } from '../storage/claim-deliveries.ts';
import type { Deps } from './ports.ts';
import type { Recipient } from './recipient.ts';

/**
 * A mail on its way to an owner: retried for days, as messages to subscriptions are, without consequences for the
 * recipient.
 */
export function ownerRecipient(
  { sendMail, now, subscriptionWaitsMs: waitsMs }: Deps,
  { deliveryId, to }: { deliveryId: string; to: ToOwner },
): Recipient {
  return {
    type: 'owner',
    send: () => sendMail({ id: deliveryId, to: [to.address], ...to.mail }),
    settle: (outcome, attempt) => settleMessage(outcome, { attempt, now: now(), waitsMs }),
    lock: async () => ({ revision: to.revision, recordFailure: async () => undefined }),
    recordSuccess: async () => undefined,
  };
}
