import { FairSlots } from '@tocsin/runtime';
import type { SendMail } from '../app/ports.ts';
import type { Outcome } from '../domain/outcome.ts';

export interface MailTurnsOptions {
  /** Maximum number of emails that are sent at the same time. */
  readonly slots: number;
  /** Maximum time that an email waits for a slot, in milliseconds. */
  readonly maxWaitMs: number;
  /** Aborted when the service must stop. Waiting emails then fail at once, so that they do not delay the stop. */
  readonly signal: AbortSignal;
}

/** Maximum numbers of waiting emails. They are higher than the attempts that run at once can have recipients. */
const WAITING = { waitingPerTenant: 5_000, waiting: 20_000 };

const NO_SLOT: Outcome = {
  kind: 'failed',
  error: 'the mail waited too long for a connection to the SMTP server',
  httpStatus: undefined,
  isOurs: true,
};

/**
 * Limits how many emails are sent at once. Tenants with waiting emails are served in turn. One tenant never uses all
 * slots, so the first email of another tenant does not wait for it, unless there is only one slot. An email that waits
 * for too long is not sent, and its outcome is a failure.
 */
export function inTurns(send: SendMail, { slots, maxWaitMs, signal }: MailTurnsOptions): SendMail {
  const turns = new FairSlots({
    slots,
    perTenant: Math.max(1, slots - 1),
    perTenantOfSeveral: Math.max(1, Math.floor(slots / 2)),
    ...WAITING,
  });
  const waiting = new Set<() => void>();
  signal.addEventListener('abort', () => {
    for (const giveUp of waiting) giveUp();
  });

  return async (mail) => {
    const { promise: waitedTooLong, resolve } = Promise.withResolvers<Outcome>();
    const giveUp = () => {
      waiting.delete(giveUp);
      resolve(NO_SLOT);
    };
    const timer = setTimeout(giveUp, maxWaitMs);
    waiting.add(giveUp);
    const sent = turns.run(mail.tenant, async () => {
      clearTimeout(timer);
      // If the email is no longer waiting, its outcome is already known.
      return waiting.delete(giveUp) ? send(mail) : NO_SLOT;
    });
    // The only error is that too many emails wait.
    return Promise.race([waitedTooLong, sent]).catch(() => NO_SLOT);
  };
}
