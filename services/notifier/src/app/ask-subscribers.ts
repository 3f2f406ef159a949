import { MAX_REQUESTS_PER_MAILBOX_DAY } from '../domain/mail-recipient.ts';
import { renderEmail } from '../domain/render-email.ts';
import { MAX_VISITOR_REQUESTS_PER_HOUR, UNCONFIRMED_MS } from '../domain/subscriber.ts';
import { subscriberConfirmationEmail } from '../domain/subscriber-emails.ts';
import { countMail, countRequest, uncountRequest } from '../storage/mail-recipient-store.ts';
import { claimSubscribersToAsk, type SubscriberToAsk, settleSubscriberAsk } from '../storage/subscriber-store.ts';
import { DAY_MS, dayOf, hourOf, mailboxHash } from './mail-recipients.ts';
import { type Deps, subscriberContext } from './ports.ts';

const BATCH = 20;
/** Time before an unsent email is retried. Must be longer than an attempt. */
const TRY_AGAIN_MS = 5 * 60_000;
/** Key under which the requests to the visitors of all pages of an organization are counted. */
const VISITORS = 'visitors';

/** Sends the emails that ask visitors to confirm. Any number of replicas may run this at the same time. */
export async function askSubscribers(deps: Deps): Promise<'again' | 'done'> {
  const now = deps.now();
  const leasedUntil = new Date(now.getTime() + TRY_AGAIN_MS);
  const due = await deps.database.transaction('every organization', (tx) =>
    claimSubscribersToAsk(tx, { now, leasedUntil, limit: BATCH }),
  );
  await Promise.all(due.map((subscriber) => ask(deps, subscriber)));
  return due.length === BATCH ? 'again' : 'done';
}

/**
 * Asks a visitor. If the organization has reached its limit, the request is tried again whenever its lease expires. If
 * the mailbox has, it is tried again on the next day. Both limits are separate from those of the recipients of alert
 * channels, so that visitors can't use them up.
 */
async function ask(
  { database, vault, now, sendSubscriberMail, subscriberLinks, logger }: Deps,
  { id, page, sealedAddress, createdAt, asked }: SubscriberToAsk,
): Promise<void> {
  const { organizationId } = page;
  const at = now();
  const address = vault.open(sealedAddress, subscriberContext(id));
  const [mailbox, day] = [`${VISITORS} ${mailboxHash(address)}`, dayOf(at)];
  const mayAsk = await database.transaction({ organizationId }, async (tx) => {
    const hour = { counted: VISITORS, hour: hourOf(at), limit: MAX_VISITOR_REQUESTS_PER_HOUR };
    if (!(await countMail(tx, organizationId, hour))) return false;
    if (await countRequest(tx, { mailbox, day, limit: MAX_REQUESTS_PER_MAILBOX_DAY })) return true;
    await settleSubscriberAsk(tx, { organizationId, id }, { askAt: new Date(day.getTime() + DAY_MS) });
    return false;
  });
  if (!mayAsk) return;
  const expiresAt = new Date(at.getTime() + UNCONFIRMED_MS);
  const link = await subscriberLinks.confirm({ organizationId, pageId: page.id, subscriberId: id }, expiresAt);
  const outcome = await sendSubscriberMail({
    // An address that subscribes again has the same id as before.
    id: `subscribe-${id}-${createdAt.getTime()}-${asked}`,
    tenant: organizationId,
    to: [address],
    ...renderEmail(subscriberConfirmationEmail(page, link)),
  });
  if (outcome.kind === 'failed' || outcome.kind === 'unable') {
    await database.transaction({ organizationId }, (tx) => uncountRequest(tx, { mailbox, day }));
    logger.warn({ organization_id: organizationId }, `a subscriber could not be asked to confirm: ${outcome.error}`);
    return;
  }
  await database.transaction({ organizationId }, (tx) =>
    settleSubscriberAsk(tx, { organizationId, id }, { askedAt: at }),
  );
}
