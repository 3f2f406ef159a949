import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { type FailedOutcome, notSent, type Outcome } from '../domain/outcome.ts';
import { subscriptionDisabled as subscriptionDisabledEmail } from '../domain/owner-emails.ts';
import { settleMessage, settleMessageOutcome } from '../domain/settle-message.ts';
import { disableBySystem, type Subscription } from '../domain/subscription.ts';
import { subscriptionDisabled } from '../events/outgoing.ts';
import type { ToSubscription } from '../storage/delivery-rows.ts';
import { dropWaiting, tookOthersSince } from '../storage/delivery-store.ts';
import { lockSubscription, saveSubscription } from '../storage/subscription-store.ts';
import { emailOwners } from './email-owners.ts';
import { type Deps, subscriptionContext } from './ports.ts';
import type { Recipient } from './recipient.ts';

/** Returns the recipient of a message that is delivered to a subscription. */
export function subscriptionRecipient(
  deps: Deps,
  { deliveryId, organizationId, to }: { deliveryId: string; organizationId: string; to: ToSubscription },
): Recipient {
  const { now, subscriptionWaitsMs: waitsMs } = deps;
  return {
    type: 'subscription',
    async send() {
      const outcome = await sendMessage(deps, deliveryId, to);
      return outcome.kind === 'delivered' ? outcome : settleMessageOutcome(outcome);
    },
    settle: (outcome, attempt) => settleMessage(outcome, { attempt, now: now(), waitsMs }),
    async lock(tx) {
      const subscription = await lockSubscription(tx, organizationId, to.id);
      if (!subscription) return undefined;
      const takesOthers = () => tookOthersSince(tx, { id: deliveryId, organizationId }, to.id);
      return {
        revision: subscription.revision,
        takesOthers,
        recordFailure: async (outcome, isFinal) => {
          // A failure does not count if the subscription was changed after the attempt began.
          if (!isFinal || !subscription.enabled || subscription.revision !== to.revision) return;
          if (outcome.kind === 'failed' && (outcome.isOurs || (await takesOthers()))) return;
          await disable(deps, tx, subscription, outcome);
        },
      };
    },
  };
}

async function sendMessage({ vault, postMessage, now }: Deps, id: string, to: ToSubscription): Promise<Outcome> {
  const { previous } = to;
  const sealed = [to.sealedSecret, ...(previous && previous.until > now() ? [previous.sealedSecret] : [])];
  let secrets: string[];
  try {
    secrets = sealed.map((secret) => vault.open(secret, subscriptionContext(to.id)));
  } catch (error) {
    // The failure comes from the installation's vault keys, not from the receiver.
    return { ...notSent(error), isOurs: true };
  }
  return postMessage({ id, url: to.url, secrets, body: to.body });
}

/** Disables a subscription whose receiver failed permanently, and drops its waiting deliveries. */
async function disable(deps: Deps, tx: Transaction, subscription: Subscription, outcome: FailedOutcome): Promise<void> {
  const now = deps.now();
  const { id: subscriptionId, organizationId } = subscription;
  const reason = outcome.error;
  await saveSubscription(tx, disableBySystem(subscription, reason, now));
  await dropWaiting(tx, { subscriptionId, organizationId }, { error: `the subscription was disabled: ${reason}`, now });
  await appendEvents(tx, [subscriptionDisabled(subscription, reason)], now);
  const link = `${deps.baseUrl}/api/v1/webhooks/${subscriptionId}`;
  await emailOwners(
    tx,
    { organizationId, eventId: v7(), kind: 'subscription_disabled', resourceId: subscriptionId, occurredAt: now },
    subscriptionDisabledEmail({ url: subscription.url, link }, reason),
  );
}
