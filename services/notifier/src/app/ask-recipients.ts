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
  postponeAsks,
  type RecipientToAsk,
  settleAsk,
  uncountRequest,
} from '../storage/mail-recipient-store.ts';
import { dropUnused } from './channel-recipients.ts';
import type { MailLinks } from './mail-links.ts';
import { DAY_MS, dayOf, HOUR_MS, hourOf, mailboxHash, recipientContext } from './mail-recipients.ts';
import type { Deps } from './ports.ts';

const BATCH = 20;
/** Time before an unsent email is retried. Must be longer than an attempt. */
const TRY_AGAIN_MS = 5 * 60_000;

type AskDeps = Pick<Deps, 'database' | 'vault' | 'now' | 'kinds' | 'sendMail' | 'organizations' | 'logger'> & {
  readonly mailLinks: Pick<MailLinks, 'confirm'>;
};

/** A request that was counted toward the limits and may be sent. */
interface CountedRequest {
  readonly recipient: RecipientToAsk;
  readonly address: string;
  readonly at: Date;
}

/**
 * Sends the emails that ask recipients to confirm. Any number of replicas may run this at the same time. Returns `done`
 * if no email was sent, because then the mail server may be unavailable or the limits are reached.
 */
export async function sendConfirmations(deps: AskDeps): Promise<'again' | 'done'> {
  const now = deps.now();
  const leasedUntil = new Date(now.getTime() + TRY_AGAIN_MS);
  const due = await deps.database.transaction('every organization', (tx) =>
    claimToAsk(tx, { now, leasedUntil, limit: BATCH }),
  );
  const sent = await Promise.all(
    [...Map.groupBy(due, (recipient) => recipient.organization_id)].map(([organizationId, recipients]) =>
      askAll(deps, organizationId, recipients).catch((error) => logFailure(deps, organizationId, error)),
    ),
  );
  return due.length === BATCH && sent.some(Boolean) ? 'again' : 'done';
}

function logFailure({ logger }: AskDeps, organizationId: string, error: unknown): undefined {
  logger.error({ err: error, organization_id: organizationId }, 'asking recipients to confirm failed');
}

/** Asks recipients of an organization. Returns the number of emails that were sent. */
async function askAll(deps: AskDeps, organizationId: string, recipients: readonly RecipientToAsk[]): Promise<number> {
  const used = await dropUnused(
    deps,
    organizationId,
    recipients.map(({ mark }) => mark),
  );
  const counted: CountedRequest[] = [];
  for (const recipient of recipients.filter(({ mark }) => used.has(mark))) {
    const request = await count(deps, recipient).catch((error) => logFailure(deps, organizationId, error));
    if (request === 'organization is over its limit') break;
    if (request && request !== 'mailbox is over its limit') counted.push(request);
  }
  const sent = await Promise.all(
    counted.map((request) => ask(deps, request).catch((error) => logFailure(deps, organizationId, error))),
  );
  return sent.filter(Boolean).length;
}

/**
 * Counts a request toward the limits. If the mailbox is over its limit, postpones the request until the next day. If
 * the organization is over its limit, postpones all its requests until the next hour.
 */
async function count(
  { database, vault, now }: AskDeps,
  recipient: RecipientToAsk,
): Promise<CountedRequest | 'organization is over its limit' | 'mailbox is over its limit'> {
  const { organization_id: organizationId, mark, sealed_address: sealedAddress } = recipient;
  const at = now();
  const address = vault.open(sealedAddress, recipientContext(organizationId, mark));
  const [mailbox, day, hour] = [mailboxHash(address), dayOf(at), hourOf(at)];
  return database.transaction({ organizationId }, async (tx) => {
    const isCounted = (counted: string, limit: number) => countMail(tx, organizationId, { counted, hour, limit });
    const isWithin =
      (await isCounted('confirmations', MAX_CONFIRMATIONS_PER_ORGANIZATION_HOUR)) &&
      (await isCounted('all', MAX_MAILS_PER_ORGANIZATION_HOUR));
    if (!isWithin) {
      await postponeAsks(tx, organizationId, new Date(hour.getTime() + HOUR_MS));
      return 'organization is over its limit';
    }
    if (await countRequest(tx, { mailbox, day, limit: MAX_REQUESTS_PER_MAILBOX_DAY })) {
      return { recipient, address, at };
    }
    const askAt = new Date(day.getTime() + DAY_MS);
    await settleAsk(tx, { organizationId, mark }, { askAt, refusal: TOO_MANY_REQUESTS });
    return 'mailbox is over its limit';
  });
}

/** Sends a request. Returns false if the mail server did not accept or refuse it; it is then tried again. */
async function ask(
  { database, sendMail, organizations, mailLinks, logger }: AskDeps,
  { recipient: { organization_id: organizationId, mark, asked }, address, at }: CountedRequest,
): Promise<boolean> {
  const subject = { organizationId, mark };
  const organizationName = (await organizations.nameOf(organizationId)) ?? 'an organization';
  const link = await mailLinks.confirm(subject, new Date(at.getTime() + CONFIRMATION_MS));
  const outcome = await sendMail({
    id: `confirm-${mark}-${asked}`,
    tenant: organizationId,
    to: [address],
    ...renderEmail(confirmationEmail(organizationName, link)),
  });
  if (outcome.kind === 'failed' || outcome.kind === 'unable') {
    const counted = { mailbox: mailboxHash(address), day: dayOf(at) };
    await database.transaction({ organizationId }, (tx) => uncountRequest(tx, counted));
    logger.warn({ organization_id: organizationId }, `a recipient could not be asked to confirm: ${outcome.error}`);
    return false;
  }
  const refusal = outcome.kind === 'delivered' ? {} : { refusal: outcome.error };
  await database.transaction({ organizationId }, (tx) => settleAsk(tx, subject, { askedAt: at, ...refusal }));
  return true;
}
