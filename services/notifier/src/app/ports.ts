import type { Database } from '@tocsin/database';
import type { FieldErrorCollector } from '@tocsin/errors';
import type { Logger } from '@tocsin/runtime';
import type { Vault } from '@tocsin/vault';
import type { ChannelConfig } from '../domain/channel-config.ts';
import type { MailContent } from '../domain/email.ts';
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

/** A mail to hand over. */
export interface Mail extends MailContent {
  /** The same for every attempt; makes the message's id. */
  readonly id: string;
  /** At least one. */
  readonly to: readonly string[];
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
  /** Waits between the attempts at a subscription's delivery: one attempt more than there are waits. */
  readonly subscriptionWaitsMs: readonly number[];
  readonly postMessage: PostMessage;
  readonly sendMail: SendMail;
  readonly owners: Owners;
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
