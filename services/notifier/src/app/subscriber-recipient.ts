import { notSent, type Outcome } from '../domain/outcome.ts';
import { renderEmail } from '../domain/render-email.ts';
import { settleMessage } from '../domain/settle-message.ts';
import { NOTICE_WAITS_MS } from '../domain/subscriber.ts';
import { pageNoticeEmail } from '../domain/subscriber-emails.ts';
import type { ToSubscriber } from '../storage/delivery-rows.ts';
import { lockSubscriber } from '../storage/subscriber-store.ts';
import { type Deps, subscriberContext } from './ports.ts';
import type { Recipient } from './recipient.ts';

/**
 * Returns the recipient of a notice to a subscriber of a status page. Failures have no effect on the recipient. A
 * notice is retried for hours only, because it is outdated soon.
 */
export function subscriberRecipient(
  deps: Deps,
  { deliveryId, organizationId, to }: { deliveryId: string; organizationId: string; to: ToSubscriber },
): Recipient {
  return {
    type: 'subscriber',
    send: () => sendNotice(deps, deliveryId, to),
    settle: (outcome, attempt) => settleMessage(outcome, { attempt, now: deps.now(), waitsMs: NOTICE_WAITS_MS }),
    async lock(tx) {
      if (!(await lockSubscriber(tx, organizationId, to.id))) return undefined;
      return { revision: to.revision, recordFailure: async () => undefined };
    },
  };
}

async function sendNotice(
  { vault, sendSubscriberMail, subscriberLinks }: Deps,
  deliveryId: string,
  { id: subscriberId, sealedAddress, page, notice }: ToSubscriber,
): Promise<Outcome> {
  let address: string;
  let unsubscribeUrl: string;
  try {
    address = vault.open(sealedAddress, subscriberContext(subscriberId));
    const { organizationId, id: pageId } = page;
    unsubscribeUrl = await subscriberLinks.unsubscribe({ organizationId, pageId, subscriberId });
  } catch (error) {
    // The installation's vault keys caused the failure.
    return { ...notSent(error), isOurs: true };
  }
  return sendSubscriberMail({
    id: deliveryId,
    tenant: page.organizationId,
    to: [address],
    thread: notice.disruptionId,
    unsubscribeUrl,
    ...renderEmail(pageNoticeEmail(page, notice, unsubscribeUrl)),
  });
}
