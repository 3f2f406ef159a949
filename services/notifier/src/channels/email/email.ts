import { createHash } from 'node:crypto';
import type { ChannelKind, SendMail } from '../../app/ports.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { renderEmail } from '../../domain/render-email.ts';
import { alertEmail } from './alert-email.ts';
import { checkRecipients, readRecipients } from './recipients.ts';

/** Mails to people, through the operator's SMTP server. */
export function email({ sendMail }: { sendMail: SendMail }): ChannelKind {
  return {
    type: 'email',

    check: async ({ recipients }, errors) => checkRecipients(recipients, errors),

    async send({ recipients }, notice) {
      const { reached: before = [] } = notice;
      const to = readRecipients(recipients).filter((address) => !before.includes(markOf(address)));
      if (to.length === 0) return DELIVERED;
      const outcome = await sendMail({ id: notice.id, to, ...renderEmail(alertEmail(notice)) });
      if (outcome.kind === 'failed') {
        return { ...outcome, reached: [...before, ...(outcome.reached ?? []).map(markOf)] };
      }
      // The last ones are refused for good, and the others have it.
      return outcome.kind === 'refused' && before.length > 0 ? DELIVERED : outcome;
    },
  };
}

const DELIVERED: Outcome = { kind: 'delivered', httpStatus: undefined };

/** A recipient without its address, which rests in the sealed configuration alone. */
function markOf(address: string): string {
  return createHash('sha256').update(address).digest('base64url').slice(0, 16);
}
