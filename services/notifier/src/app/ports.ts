import type { Database } from '@tocsin/database';
import type { FieldErrorCollector } from '@tocsin/errors';
import type { Logger } from '@tocsin/runtime';
import type { Vault } from '@tocsin/vault';
import type { ChannelConfig } from '../domain/channel-config.ts';
import type { MailContent } from '../domain/email.ts';
import type { MailRecipient } from '../domain/mail-recipient.ts';
import type { Notice } from '../domain/notice.ts';
import type { OutageDisruption, OutageRound } from '../domain/outage.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { OutageLinks } from './outage-links.ts';

/** One kind of channel: the rules of its configuration, and how it sends an alert. */
export interface ChannelKind {
  /** As the API spells it. */
  readonly type: string;
  /**
   * Adds all errors, by paths such as `config.url`. Unknown keys are ignored.
   */
  check(config: ChannelConfig, errors: FieldErrorCollector): Promise<void>;
  /** Returns the mail addresses that it sends to, which have to confirm; absent for a kind that mails nobody. */
  recipients?(config: ChannelConfig): readonly string[];
  /** Returns whether its message contains the URL of a public page that shows the monitor. */
  wantsStatusPage?(config: ChannelConfig): boolean;
  /** Makes one attempt, which takes about ten seconds at most. Never throws. */
  send(config: ChannelConfig, notice: Notice): Promise<Outcome>;
}

/** Makes one attempt to post a signed message (Standard Webhooks), ten seconds or so at most. Never throws. */
export type PostMessage = (message: {
  readonly id: string;
  readonly url: string;
  /** `whsec_` and base64 each; it is signed with all of them. */
  readonly secrets: readonly string[];
  readonly body: string;
}) => Promise<Outcome>;

/** Recipients of mail channels. */
export interface MailRecipients {
  /** Returns the recipients at some addresses, in their order. */
  list(organizationId: string, addresses: readonly string[]): Promise<readonly MailRecipient[]>;
  /** Lets those be asked to confirm who did not, and were not asked lately. */
  ask(organizationId: string, addresses: readonly string[]): Promise<void>;
  /** Counts a mail; returns when to try again if the organization or the recipient has had its share of this hour. */
  reserve(organizationId: string, mark: string): Promise<{ readonly retryAfterMs: number } | undefined>;
  /** Records why the mail server refused a recipient; undefined when it took a mail. */
  recordRefusal(organizationId: string, mark: string, refusal: string | undefined): Promise<void>;
  /** Where a recipient says that it wants no mails any more. */
  unsubscribeLink(organizationId: string, mark: string): Promise<string>;
}

/** Names of organizations, from identity. */
export interface Organizations {
  /** Undefined when there is none, and when identity does not respond in time: a mail does not wait for a name. */
  nameOf(organizationId: string): Promise<string | undefined>;
}

/** A mail to hand over. */
export interface Mail extends MailContent {
  /** The same for every attempt; makes the message's id. */
  readonly id: string;
  /** At least one. */
  readonly to: readonly string[];
  /** Where the one recipient unsubscribes, by a POST (RFC 8058). */
  readonly unsubscribeUrl?: string;
  /** Mails with the same text are shown as one conversation. */
  readonly thread?: string;
}

/** Makes one attempt to hand a mail over, twenty seconds or so at most. Never throws. */
export type SendMail = (mail: Mail) => Promise<Outcome>;

/** Owners of organizations, from identity. */
export interface Owners {
  /** @throws ServiceError `unavailable` while it is unknown. */
  of(organizationId: string): Promise<readonly { readonly id: string; readonly email: string }[]>;
}

/** Public pages, asked of statuspage. */
export interface StatusPages {
  /**
   * Returns the URL of the oldest public page that shows a monitor. Undefined if there is none, and if statuspage does
   * not respond in time: an alert does not wait for a link.
   */
  urlFor(organizationId: string, monitorId: string): Promise<string | undefined>;
}

/** Rounds of monitors, from the monitor service. */
export interface Rounds {
  /** Returns the last few rounds, newest first; undefined when the service does not respond in time. */
  latest(organizationId: string, monitorId: string): Promise<readonly OutageRound[] | undefined>;
}

export type AcknowledgeOutcome = 'acknowledged' | 'ended' | 'not_found';

/** Disruptions, from the disruption service. */
export interface Disruptions {
  /** Undefined when there is none, and when the service does not respond in time. */
  find(organizationId: string, id: string): Promise<OutageDisruption | undefined>;
  /** @throws ServiceError `unavailable` when the service does not respond. */
  acknowledge(
    organizationId: string,
    acknowledgement: { readonly id: string; readonly by: string },
  ): Promise<AcknowledgeOutcome>;
}

/** Tells failures of receivers from those of this installation's own connection. */
export interface Connectivity {
  /** Returns whether the installation was connected after a recipient failed without a response. */
  confirmFailure(recipientId: string): Promise<boolean>;
  recordResponse(recipientId: string): void;
}

/** Metrics of the notifier. */
export interface DeliveryMeters {
  attempted(type: string, outcome: string): void;
  /** Seconds from the event at its source to the receiver's yes. */
  delivered(type: string, seconds: number): void;
}

/** Dependencies of the use cases. */
export interface Deps {
  readonly database: Database;
  readonly vault: Vault;
  readonly now: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly kinds: readonly ChannelKind[];
  readonly meters: DeliveryMeters;
  readonly logger: Logger;
  /** Public address of the installation. */
  readonly baseUrl: string;
  readonly retryBaseMs: number;
  /** Monitors of one organization whose changes within 20 seconds become one message; 0: never. */
  readonly stormMonitors: number;
  /** Waits between the attempts at a subscription's delivery: one attempt more than there are waits. */
  readonly subscriptionWaitsMs: readonly number[];
  readonly postMessage: PostMessage;
  readonly sendMail: SendMail;
  readonly owners: Owners;
  readonly organizations: Organizations;
  readonly mailRecipients: MailRecipients;
  readonly statusPages: StatusPages;
  readonly outageLinks: OutageLinks;
  readonly rounds: Rounds;
  readonly disruptions: Disruptions;
  readonly connectivity: Connectivity;
  /** Returns what is wrong with a subscription's URL; undefined for a valid one. */
  readonly problemOfUrl: (url: string) => Promise<string | undefined>;
}

/** Where a channel's sealed configuration belongs: it opens for this channel only. */
export function vaultContext(channelId: string): string {
  return `channel/${channelId}`;
}

/** Where a subscription's sealed secret belongs. */
export function subscriptionContext(subscriptionId: string): string {
  return `subscription/${subscriptionId}`;
}
