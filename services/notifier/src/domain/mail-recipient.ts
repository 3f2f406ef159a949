import type { RecipientStatus } from '@tocsin/enums';

/** A recipient of an organization's email channels. */
export interface MailRecipient {
  /** Hash that identifies the recipient in places where the address must not be readable. */
  readonly mark: string;
  readonly address: string;
  readonly status: RecipientStatus;
  /** Why the mail server refused the last email, or why the confirmation request is delayed. Empty otherwise. */
  readonly error: string;
  /** Whether the recipient was never asked to confirm, because the channel was created before confirmations existed. */
  readonly isUnknown?: boolean;
}

/** Maximum number of emails from one organization to one recipient per hour. Further emails are sent later. */
export const MAX_MAILS_PER_RECIPIENT_HOUR = 60;
/** Maximum number of emails to all recipients of an organization per hour. */
export const MAX_MAILS_PER_ORGANIZATION_HOUR = 1_000;
/**
 * Maximum number of confirmation requests from one organization per hour. It is lower than the limit for other emails,
 * because these recipients have not agreed to get emails.
 */
export const MAX_CONFIRMATIONS_PER_ORGANIZATION_HOUR = 100;
/**
 * Maximum number of an organization's recipients that have not confirmed. Addresses that no channel has any more are
 * included until they are deleted.
 */
export const MAX_PENDING_RECIPIENTS = 1_000;
/** Maximum number of confirmation requests from one organization to one recipient. */
export const MAX_ASKS = 5;
/** Maximum number of confirmation requests to one mailbox per day (UTC), across all organizations. */
export const MAX_REQUESTS_PER_MAILBOX_DAY = 5;
/** Human-readable error for a recipient whose mailbox has reached the limit. */
export const TOO_MANY_REQUESTS =
  'this mailbox has got as many requests to confirm as it may get in a day; the next one is sent after midnight (UTC)';
/**
 * Minimum time between confirmation requests to a recipient, in milliseconds. A request is repeated when a channel with
 * the recipient is saved.
 */
export const ASK_AGAIN_MS = 3_600_000;
/** How long a confirmation link is valid. */
export const CONFIRMATION_MS = 7 * 24 * 3_600_000;

/**
 * Returns whether alerts are sent to a recipient. Recipients whose last email was refused also get alerts, because
 * their address may work again.
 */
export function getsMails({ status }: Pick<MailRecipient, 'status'>): boolean {
  return status === 'confirmed' || status === 'refused';
}

/**
 * Masks most of the part before the @, so that a reader can distinguish recipients without seeing their full addresses.
 */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${[...address.slice(0, at)].slice(0, 1).join('')}***${address.slice(at)}`;
}

/**
 * Returns the mailbox of an address, which is the address in lower case and without a tag after `+`. Different
 * addresses of one mailbox therefore share a limit.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const plus = local.indexOf('+');
  return `${plus > 0 ? local.slice(0, plus) : local}${address.slice(at)}`.toLowerCase();
}
