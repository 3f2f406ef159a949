import type { Locale } from '@tocsin/enums';
import { isEmail } from '@tocsin/text';

/** A status page that visitors subscribe to. */
export interface SubscribedPage {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly url: string;
  readonly locale: Locale;
}

/** Maximum number of confirmed subscribers of a page, and of those that have not confirmed. */
export const MAX_SUBSCRIBERS = 5_000;
/** Time after which a subscriber that has not confirmed is deleted, and for which a confirmation link is valid. */
export const UNCONFIRMED_MS = 7 * 24 * 3_600_000;
/**
 * Maximum number of confirmation requests to visitors of one organization's pages per hour. They do not count as
 * requests to the recipients of alert channels, and the other way around.
 */
export const MAX_VISITOR_REQUESTS_PER_HOUR = 500;
/** Maximum number of emails to the subscribers of one organization's pages on a day in UTC. */
export const MAX_SUBSCRIBER_MAILS_PER_DAY = 50_000;
/** Age from which a notice is not mailed any more, because it is outdated. */
export const NOTICE_LIFETIME_MS = 24 * 3_600_000;
/** Waits between the attempts to send a notice, in milliseconds. */
export const NOTICE_WAITS_MS: readonly number[] = [60_000, 5 * 60_000, 30 * 60_000, 2 * 3_600_000, 5 * 3_600_000];

/** Returns the address in a text that a visitor entered; undefined if it is none, or has no domain with a dot. */
export function addressIn(text: string): string | undefined {
  const address = text.trim();
  return isEmail(address) && /@.+\../.test(address) ? address : undefined;
}
