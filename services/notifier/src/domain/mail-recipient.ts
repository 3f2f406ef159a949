import type { RecipientStatus } from '@tocsin/enums';

/** A recipient of mail channels of one organization. */
export interface MailRecipient {
  /** Stands for the address wherever that must not be read. */
  readonly mark: string;
  readonly address: string;
  readonly status: RecipientStatus;
  /** Why the mail server refused the last mail; empty unless it did. */
  readonly error: string;
  /** Whether it was never asked to confirm: its channel is older than confirmations. */
  readonly isUnknown?: boolean;
}

/** Mails to one recipient within an hour, of one organization. What exceeds it is sent later. */
export const MAX_MAILS_PER_RECIPIENT_HOUR = 60;
/** Mails to all recipients of an organization within an hour. */
export const MAX_MAILS_PER_ORGANIZATION_HOUR = 1_000;
/** Of these, mails that ask to confirm: the only ones that reach people who want none. */
export const MAX_CONFIRMATIONS_PER_ORGANIZATION_HOUR = 100;
/** How often one organization asks one recipient. */
export const MAX_ASKS = 5;
/** A recipient who did not confirm is asked again when its channel is configured again, but not sooner than this. */
export const ASK_AGAIN_MS = 3_600_000;
/** How long a link confirms. */
export const CONFIRMATION_MS = 7 * 24 * 3_600_000;

/** Returns whether mails are sent to a recipient; one that was refused may work again. */
export function getsMails({ status }: Pick<MailRecipient, 'status'>): boolean {
  return status === 'confirmed' || status === 'refused';
}

/** Hides most of the part before the @: whoever reads it knows which of several recipients it is, and no more. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${[...address.slice(0, at)].slice(0, 1).join('')}***${address.slice(at)}`;
}
