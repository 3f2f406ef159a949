import type { Database, Transaction } from '@tocsin/database';
import type { ChannelType } from '@tocsin/enums';
import type { FieldErrorCollector } from '@tocsin/errors';
import type { Logger } from '@tocsin/runtime';
import type { Vault } from '@tocsin/vault';
import type { ChannelConfig } from '../domain/channel-config.ts';
import type { MailContent } from '../domain/email.ts';
import type { MailRecipient } from '../domain/mail-recipient.ts';
import type { Notice } from '../domain/notice.ts';
import type { OutageDisruption, OutageRound } from '../domain/outage.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { FullSubscriptions } from './full-subscriptions.ts';
import type { OutageLinks } from './outage-links.ts';
import type { RecordingSlots } from './record-in-turn.ts';
import type { SubscriberLinks } from './subscriber-links.ts';

/** A type of channel, which checks configurations and sends alerts. */
export interface ChannelKind {
  /** Name of the type in the API. */
  readonly type: ChannelType;
  /** Checks a configuration and adds all errors, with paths such as `config.url`. Ignores unknown keys. */
  check(config: ChannelConfig, errors: FieldErrorCollector): Promise<void>;
  /**
   * Returns the email addresses that the channel sends to. Each recipient must confirm the address before the channel
   * sends to it. Absent if the type sends no email.
   */
  recipients?(config: ChannelConfig): readonly string[];
  /** Whether messages of this channel contain the URL of a public status page that shows the monitor. */
  wantsStatusPage?(config: ChannelConfig): boolean;
  /** Makes one attempt, which takes at most about ten seconds, or about a minute for emails. Never throws. */
  send(config: ChannelConfig, notice: Notice): Promise<Outcome>;
}

/**
 * Makes one attempt to post a signed message (Standard Webhooks), which takes at most about ten seconds. Never throws.
 */
export type PostMessage = (message: {
  readonly id: string;
  readonly url: string;
  /** Secrets: `whsec_` followed by base64. The message gets one signature per secret. */
  readonly secrets: readonly string[];
  readonly body: string;
}) => Promise<Outcome>;

/** Emails that were counted before they are sent. */
export interface MailReservation {
  /** Marks of the recipients for whom a limit is reached. They may not get an email now, and none was counted. */
  readonly over: ReadonlySet<string>;
  /** Milliseconds until the counts start again at 0. */
  readonly retryAfterMs: number;
  /** Reverses the count of the emails to these recipients, which the mail server did not accept. Never throws. */
  release(marks: readonly string[]): Promise<void>;
}

/** Manages the recipients of email channels. */
export interface MailRecipients {
  /** Returns the recipients with these addresses, in the same order. */
  list(organizationId: string, addresses: readonly string[]): Promise<readonly MailRecipient[]>;
  /**
   * Requests confirmation from recipients that have not confirmed and were not asked recently.
   * @throws ServiceError `invalid` if the organization then has too many recipients that have not confirmed.
   */
  ask(tx: Transaction, organizationId: string, addresses: readonly string[]): Promise<void>;
  /** Requests confirmation from recipients of an existing channel that are not known yet. */
  askUnknown(organizationId: string, addresses: readonly string[]): Promise<void>;
  /**
   * Counts an email to each of these recipients toward the hourly limits of the organization and the recipient, in one
   * transaction. `marks` are the hashes that identify the recipients (see markOf()).
   */
  reserve(organizationId: string, marks: readonly string[]): Promise<MailReservation>;
  /** Records why the mail server refused a recipient. An undefined reason means that the server accepted an email. */
  recordRefusal(organizationId: string, mark: string, refusal: string | undefined): Promise<void>;
  unsubscribeLink(organizationId: string, mark: string): Promise<string>;
}

/** Access to the names of organizations through the identity service. */
export interface Organizations {
  /**
   * Returns the name of an organization; undefined if there is none, or if identity does not respond in time. An email
   * is sent even without the name.
   */
  nameOf(organizationId: string): Promise<string | undefined>;
}

/** An email to send. */
export interface Mail extends MailContent {
  /**
   * Id of the organization that causes the email, or another name. Tenants take turns, so that one with many emails
   * does not delay those of others.
   */
  readonly tenant: string;
  /** Id that all attempts share. The Message-ID is derived from this id. */
  readonly id: string;
  /** Addresses, at least one. */
  readonly to: readonly string[];
  /** URL for unsubscribing the recipient with a POST (RFC 8058). Set only for an email to a single recipient. */
  readonly unsubscribeUrl?: string;
  /** Id of the conversation. Email programs group emails with the same value. */
  readonly thread?: string;
}

/**
 * Makes one attempt to send an email. The email waits for its turn for at most 40 seconds, and then the attempt takes
 * at most about 20 seconds. Never throws.
 */
export type SendMail = (mail: Mail) => Promise<Outcome>;

/** Access to the owners of organizations through the identity service. */
export interface Owners {
  /**
   * Returns the owners.
   * @throws ServiceError `unavailable` if identity does not respond.
   */
  of(organizationId: string): Promise<readonly { readonly id: string; readonly email: string }[]>;
}

/** Access to public status pages through the statuspage service. */
export interface StatusPages {
  /**
   * Returns the URL of the oldest public page that shows a monitor; undefined if there is none, or if statuspage does
   * not respond in time. An alert is sent even without the link.
   */
  urlFor(organizationId: string, monitorId: string): Promise<string | undefined>;
}

/**
 * Access to the check rounds of monitors through the monitor service. A round contains the results of all regions at
 * one time.
 */
export interface Rounds {
  /**
   * Returns the latest rounds that began at `until` or earlier, newest first. `until` defaults to the current time.
   * Returns undefined if the service does not respond in time.
   */
  latest(organizationId: string, monitorId: string, until?: Date): Promise<readonly OutageRound[] | undefined>;
}

/** Asks the monitor service whether monitors are under maintenance. */
export interface Maintenance {
  /** Whether a monitor is under maintenance; false if the service does not respond in time. */
  covers(organizationId: string, monitorId: string): Promise<boolean>;
}

export type AcknowledgeOutcome = 'acknowledged' | 'ended' | 'not_found';

/** Access to disruptions through the disruption service. */
export interface Disruptions {
  /** Returns the disruption; undefined if it does not exist, or if the service does not respond in time. */
  find(organizationId: string, id: string): Promise<OutageDisruption | undefined>;
  /**
   * Acknowledges a disruption.
   * @throws ServiceError `unavailable` if the service does not respond.
   */
  acknowledge(
    organizationId: string,
    acknowledgement: { readonly id: string; readonly by: string },
  ): Promise<AcknowledgeOutcome>;
}

/** Detects failures of this installation's own network connection. */
export interface Connectivity {
  /**
   * Returns whether a failure without a response counts against the recipient. It does not count if this installation
   * had no network connection.
   */
  confirmFailure(recipientId: string): Promise<boolean>;
  recordResponse(recipientId: string): void;
}

/** The notifier's metrics. */
export interface DeliveryMeters {
  attempted(type: string, outcome: string): void;
  /** Records the seconds from the time at which a first attempt became due until the receiver accepted the delivery. */
  delivered(type: string, seconds: number): void;
}

/** Dependencies of the use cases. */
export interface Deps {
  readonly database: Database;
  readonly recordingSlots: RecordingSlots;
  readonly vault: Vault;
  readonly now: () => Date;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
  readonly kinds: readonly ChannelKind[];
  readonly meters: DeliveryMeters;
  readonly logger: Logger;
  /** Public base URL of the installation. */
  readonly baseUrl: string;
  readonly retryBaseMs: number;
  /**
   * If at least this number of an organization's monitors change within 20 seconds, each channel gets one message about
   * all of them; 0 disables this grouping.
   */
  readonly stormMonitors: number;
  /** A monitor is flapping after more than this number of changes within 15 minutes; 0 disables flapping detection. */
  readonly calmChanges: number;
  /** Maximum number of messages per hour to a channel without its own limit; 0 means no limit. */
  readonly maxMessagesPerHour: number;
  /**
   * Delays, in milliseconds, between the attempts to send a delivery to a subscription. N delays mean N + 1 attempts.
   */
  readonly subscriptionWaitsMs: readonly number[];
  readonly fullSubscriptions: FullSubscriptions;
  readonly postMessage: PostMessage;
  readonly sendMail: SendMail;
  /** Sends emails about accounts, such as sign-in links, over connections of their own. */
  readonly sendUserMail: SendMail;
  /** Sends emails to subscribers of status pages, over connections of their own. */
  readonly sendSubscriberMail: SendMail;
  readonly subscriberLinks: SubscriberLinks;
  readonly owners: Owners;
  readonly organizations: Organizations;
  readonly mailRecipients: MailRecipients;
  readonly statusPages: StatusPages;
  readonly outageLinks: OutageLinks;
  readonly rounds: Rounds;
  readonly maintenance: Maintenance;
  readonly disruptions: Disruptions;
  readonly connectivity: Connectivity;
  /** Returns why a subscription's URL is invalid; undefined if it is valid. */
  readonly problemOfUrl: (url: string) => Promise<string | undefined>;
}

/**
 * Returns the vault context of a channel's sealed configuration. The configuration can be opened only with this
 * context.
 */
export function vaultContext(channelId: string): string {
  return `channel/${channelId}`;
}

/** Returns the vault context of a subscription's sealed secret. */
export function subscriptionContext(subscriptionId: string): string {
  return `subscription/${subscriptionId}`;
}

/** Returns the vault context of a subscriber's sealed address. */
export function subscriberContext(subscriberId: string): string {
  return `subscriber/${subscriberId}`;
}
