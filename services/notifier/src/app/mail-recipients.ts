import { createHash } from 'node:crypto';
import type { Transaction } from '@tocsin/database';
import { invalid, type ServiceError } from '@tocsin/errors';
import { FairSlots } from '@tocsin/runtime';
import {
  ASK_AGAIN_MS,
  MAX_ASKS,
  MAX_MAILS_PER_ORGANIZATION_HOUR,
  MAX_MAILS_PER_RECIPIENT_HOUR,
  MAX_PENDING_RECIPIENTS,
  type MailRecipient,
  mailboxOf,
} from '../domain/mail-recipient.ts';
import {
  askRecipients,
  countMails,
  findRecipients,
  lockPendingCount,
  setRefusal,
  uncountMails,
} from '../storage/mail-recipient-store.ts';
import type { MailLinks } from './mail-links.ts';
import type { Deps, MailRecipients } from './ports.ts';

/**
 * Key under which all emails from an organization are counted. The emails to one recipient are counted under the hash
 * that markOf() returns, which is longer, so the two keys never collide.
 */
const ALL = 'all';

const LIMITS = { perRecipient: MAX_MAILS_PER_RECIPIENT_HOUR, all: MAX_MAILS_PER_ORGANIZATION_HOUR };

/**
 * Limits on concurrent transactions that count emails. Those of one organization lock the same row, so more than one at
 * a time would only occupy database connections.
 */
const COUNTING = { slots: 4, perTenant: 1, waitingPerTenant: 1_000, waiting: 10_000 };

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Manages the recipients of email channels: confirmations, refusals and the number of emails sent. */
export function createMailRecipients({
  database,
  vault,
  now,
  logger,
  links,
}: Pick<Deps, 'database' | 'vault' | 'now' | 'logger'> & { readonly links: MailLinks }): MailRecipients {
  const counting = new FairSlots(COUNTING);

  /** Saves recipients and schedules requests to them. Returns the number of new recipients. */
  function save(tx: Transaction, organizationId: string, addresses: readonly string[]): Promise<number> {
    const at = now();
    const recipients = [...markAll(organizationId, addresses)].map(([mark, address]) => ({
      mark,
      sealedAddress: vault.seal(address, recipientContext(organizationId, mark)),
    }));
    const askAgainAfter = new Date(at.getTime() - ASK_AGAIN_MS);
    return askRecipients(tx, organizationId, recipients, { now: at, askAgainAfter, maxAsks: MAX_ASKS });
  }

  async function release(organizationId: string, recipients: readonly string[], hour: Date): Promise<void> {
    if (recipients.length === 0) return;
    try {
      await counting.run(organizationId, () =>
        database.transaction({ organizationId }, (tx) =>
          uncountMails(tx, organizationId, { recipients, all: ALL, hour }),
        ),
      );
    } catch (error) {
      // The outcomes of the emails are more important than their count, so the attempt goes on.
      logger.warn({ err: error, organization_id: organizationId }, 'mails that were not sent remain counted');
    }
  }

  return {
    async list(organizationId, addresses) {
      const marked = markAll(organizationId, addresses);
      const known = await database.transaction({ organizationId }, (tx) =>
        findRecipients(tx, organizationId, [...marked.keys()]),
      );
      return [...marked].map(
        ([mark, address]): MailRecipient => ({
          address,
          mark,
          ...(known.get(mark) ?? { status: 'pending', error: '', isUnknown: true }),
        }),
      );
    },

    async ask(tx, organizationId, addresses) {
      const added = await save(tx, organizationId, addresses);
      if (added === 0) return;
      const pending = await lockPendingCount(tx, organizationId);
      if (pending > MAX_PENDING_RECIPIENTS) throw tooManyPending({ before: pending - added, added });
    },

    async askUnknown(organizationId, addresses) {
      await database.transaction({ organizationId }, (tx) => save(tx, organizationId, addresses));
    },

    async reserve(organizationId, marks) {
      const at = now();
      const hour = hourOf(at);
      const counted = await counting.run(organizationId, () =>
        database.transaction({ organizationId }, (tx) =>
          countMails(tx, organizationId, { recipients: marks, all: ALL, hour, limits: LIMITS }),
        ),
      );
      return {
        over: new Set(marks.filter((mark) => !counted.includes(mark))),
        retryAfterMs: hour.getTime() + HOUR_MS - at.getTime(),
        release: (recipients) => release(organizationId, recipients, hour),
      };
    },

    async recordRefusal(organizationId, mark, refusal) {
      await database.transaction({ organizationId }, (tx) => setRefusal(tx, { organizationId, mark }, refusal));
    },

    unsubscribeLink: (organizationId, mark) => links.unsubscribe({ organizationId, mark }),
  };
}

function tooManyPending({ before, added }: { before: number; added: number }): ServiceError {
  const limit = `that have not confirmed are limited to ${MAX_PENDING_RECIPIENTS} for this organization`;
  const advice = 'Use addresses that have confirmed, or add these after others have confirmed';
  return invalid({ 'config.recipients': [`${limit}, which has ${before}; this channel adds ${added}. ${advice}`] });
}

/** Returns the context with which the vault encrypts a recipient's address. Decrypting needs the same context. */
export function recipientContext(organizationId: string, mark: string): string {
  return `recipient/${organizationId}/${mark}`;
}

/** Returns the beginning of the hour in which an email or a manual attempt is counted. */
export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
}

/** Returns the beginning of the day (UTC) in which a confirmation request is counted. */
export function dayOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
}

/**
 * Returns addresses by their marks (see markOf()), without duplicates. If an address occurs in several spellings, the
 * first one is used.
 */
function markAll(organizationId: string, addresses: readonly string[]): ReadonlyMap<string, string> {
  const marked = new Map<string, string>();
  for (const address of addresses) {
    const mark = markOf(organizationId, address);
    if (!marked.has(mark)) marked.set(mark, address);
  }
  return marked;
}

/**
 * Returns the mark of an address: a hash of 128 bits that identifies the address within one organization, ignoring
 * case.
 */
export function markOf(organizationId: string, address: string): string {
  const hash = createHash('sha256').update(`${organizationId}\n${address.toLowerCase()}`).digest();
  return hash.subarray(0, 16).toString('base64url');
}

/** Returns a hash that identifies the mailbox of an address across all organizations. */
export function mailboxHash(address: string): string {
  return createHash('sha256').update(mailboxOf(address)).digest().subarray(0, 16).toString('base64url');
}
