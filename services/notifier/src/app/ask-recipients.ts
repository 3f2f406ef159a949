import { confirmationEmail } from '../domain/confirmation-email.ts';
import {
  CONFIRMATION_MS,
  MAX_CONFIRMATIONS_PER_ORGANIZATION_HOUR,
  MAX_MAILS_PER_ORGANIZATION_HOUR,
  MAX_REQUESTS_PER_MAILBOX_DAY,
  TOO_MANY_REQUESTS,
} from '../domain/mail-recipient.ts';
import { renderEmail } from '../domain/render-email.ts';
import {
  claimToAsk,
  countMail,
  countRequest,
  type RecipientToAsk,
  settleAsk,
  uncountRequest,
} from '../storage/mail-recipient-store.ts';
import type { MailLinks } from './mail-links.ts';
import { DAY_MS, dayOf, hourOf, mailboxHash, recipientContext } from './mail-recipients.ts';
import type { Deps } from './ports.ts';

const BATCH = 20;
/** Time before an unsent email is retried. Must be longer than an attempt. */
const TRY_AGAIN_MS = 5 * 60_000;

/** Sends the emails that ask recipients to confirm. Any number of replicas may run this at the same time. */
export async function sendConfirmations(deps: Deps & { readonly mailLinks: MailLinks }): Promise<'again' | 'done'> {
  const now = deps.now();
  const leasedUntil = new Date(now.getTime() + TRY_AGAIN_MS);
  const due = await deps.database.transaction('every organization', (tx) =>
    claimToAsk(tx, { now, leasedUntil, limit: BATCH }),
  );
  await Promise.all(due.map((recipient) => ask(deps, recipient)));
  return due.length === BATCH ? 'again' : 'done';
}

async function ask(
  { database, vault, now, sendMail, organizations, mailLinks, logger }: Deps & { readonly mailLinks: MailLinks },
  { organization_id: organizationId, mark, sealed_address: sealedAddress, asked }: RecipientToAsk,
): Promise<void> {
  const at = now();
  const subject = { organizationId, mark };
  const address = vault.open(sealedAddress, recipientContext(organizationId, mark));
  const [mailbox, day] = [mailboxHash(address), dayOf(at)];
  const counted = await database.transaction({ organizationId }, async (tx) => {
    const count = (counted: string, limit: number) =>
      countMail(tx, organizationId, { counted, hour: hourOf(at), limit });
    const isWithin =
      (await count('confirmations', MAX_CONFIRMATIONS_PER_ORGANIZATION_HOUR)) &&
      (await count('all', MAX_MAILS_PER_ORGANIZATION_HOUR));
    if (!isWithin) return 'organization is over its limit';
    if (await countRequest(tx, { mailbox, day, limit: MAX_REQUESTS_PER_MAILBOX_DAY })) return 'counted';
    await settleAsk(tx, subject, { askAt: new Date(day.getTime() + DAY_MS), refusal: TOO_MANY_REQUESTS });
    return 'mailbox is over its limit';
  });
  // A limit was reached, so no email is sent now. If it is the mailbox's limit, the request is postponed until the next
  // day. If it is the organization's limit, the request is tried again whenever its lease expires, until a new hour
  // begins and the count starts again at 0.
  if (counted !== 'counted') return;
  const organizationName = (await organizations.nameOf(organizationId)) ?? 'an organization';
  const link = await mailLinks.confirm(subject, new Date(at.getTime() + CONFIRMATION_MS));
  const outcome = await sendMail({
    id: `confirm-${mark}-${asked}`,
    to: [address],
    ...renderEmail(confirmationEmail(organizationName, link)),
  });
  if (outcome.kind === 'failed' || outcome.kind === 'unable') {
    await database.transaction({ organizationId }, (tx) => uncountRequest(tx, { mailbox, day }));
    logger.warn({ organization_id: organizationId }, `a recipient could not be asked to confirm: ${outcome.error}`);
    return;
  }
  const refusal = outcome.kind === 'delivered' ? {} : { refusal: outcome.error };
  await database.transaction({ organizationId }, (tx) => settleAsk(tx, subject, { askedAt: at, ...refusal }));
}
