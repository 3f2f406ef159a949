import type { ChannelKind, MailRecipients, MailReservation, Organizations, SendMail } from '../../app/ports.ts';
import { getsMails, type MailRecipient } from '../../domain/mail-recipient.ts';
import type { Notice } from '../../domain/notice.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { renderEmail } from '../../domain/render-email.ts';
import { alertEmail } from './alert-email.ts';
import { checkRecipients, readRecipients } from './recipients.ts';
import { type OneOutcome, summarize } from './summarize.ts';

interface EmailOptions {
  readonly sendMail: SendMail;
  readonly mailRecipients: MailRecipients;
  readonly organizations: Organizations;
  /** Outcome of every email if there is no mail server; undefined otherwise. */
  readonly unavailable: Outcome | undefined;
}

/**
 * Returns the outcome for a channel without a confirmed recipient. The outcome of an alert is `refused`, so that the
 * alert is held and sent to the fallback until a recipient confirms. While a confirmation is pending, the outcome of a
 * test alert is `failed` instead, because people test a channel right after creating it.
 */
function noRecipient(recipients: readonly MailRecipient[], { kind }: Notice): Outcome {
  const isPending = recipients.some(({ status }) => status === 'pending');
  const error = isPending
    ? 'no recipient has confirmed. Ask them to open the confirmation mail, or PATCH config.recipients to send it again'
    : 'every recipient has unsubscribed. PATCH config.recipients with others, or ask them to subscribe again';
  return { kind: isPending && kind === 'test' ? 'failed' : 'refused', error, httpStatus: undefined };
}

/** Returns the outcome for a recipient who may not get an email within this hour. */
function overLimit({ retryAfterMs }: MailReservation): Outcome {
  const error = 'the limit of mails per hour is reached; this one is sent later';
  return { kind: 'failed', error, httpStatus: undefined, isOurs: true, retryAfterMs };
}

/**
 * Returns whether the mail server did not accept an email, which is then sent again. Otherwise it stays counted: a
 * refused email is not repeated, and an email with an unknown outcome may have been accepted.
 */
function wasNotAccepted(outcome: Outcome): boolean {
  return outcome.kind === 'unable' || (outcome.kind === 'failed' && outcome.mayBeAccepted !== true);
}

/** Sends a separate email to each confirmed recipient, through the operator's SMTP server. */
export function email({ sendMail, mailRecipients, organizations, unavailable }: EmailOptions): ChannelKind {
  async function sendTo(
    recipient: MailRecipient,
    notice: Notice,
    organizationName: string | undefined,
  ): Promise<Outcome> {
    const { organizationId } = notice;
    const { mark, address } = recipient;
    const unsubscribeUrl = await mailRecipients.unsubscribeLink(organizationId, mark);
    const outcome = await sendMail({
      id: `${notice.id}.${mark.slice(0, 8)}`,
      tenant: organizationId,
      to: [address],
      unsubscribeUrl,
      thread: notice.disruptionId ?? notice.id,
      ...renderEmail(alertEmail(notice, { organizationName, unsubscribeUrl })),
    });
    if (outcome.kind === 'delivered' && recipient.status === 'refused') {
      await mailRecipients.recordRefusal(organizationId, mark, undefined);
    }
    if (outcome.kind === 'refused') await mailRecipients.recordRefusal(organizationId, mark, outcome.error);
    return outcome;
  }

  return {
    type: 'email',

    check: async ({ recipients }, errors) => checkRecipients(recipients, errors),

    recipients: ({ recipients }) => readRecipients(recipients),

    async send({ recipients }, notice) {
      if (unavailable) return unavailable;
      const { reached = [], organizationId } = notice;
      const all = await mailRecipients.list(organizationId, readRecipients(recipients));
      // Recipients of channels that were created before confirmations existed were never asked to confirm.
      const unknown = all.filter(({ isUnknown }) => isUnknown === true).map(({ address }) => address);
      if (unknown.length > 0) await mailRecipients.askUnknown(organizationId, unknown);
      const willing = all.filter(getsMails);
      if (willing.length === 0) return noRecipient(all, notice);
      const organizationName = await organizations.nameOf(organizationId);
      const unreached = willing.filter(({ mark }) => !reached.includes(mark));
      const reservation = await mailRecipients.reserve(
        organizationId,
        unreached.map(({ mark }) => mark),
      );
      const outcomes = await Promise.all(
        unreached.map(async (recipient): Promise<OneOutcome> => {
          const { mark } = recipient;
          if (reservation.over.has(mark)) return { mark, outcome: overLimit(reservation) };
          return { mark, outcome: await sendTo(recipient, notice, organizationName) };
        }),
      );
      const counted = outcomes.filter(({ mark }) => !reservation.over.has(mark));
      await reservation.release(counted.filter(({ outcome }) => wasNotAccepted(outcome)).map(({ mark }) => mark));
      return summarize(outcomes, reached);
    },
  };
}
