import type { Database } from '@tocsin/database';
import type { FieldErrorCollector } from '@tocsin/errors';
import type { Logger } from '@tocsin/runtime';
import type { Vault } from '@tocsin/vault';
import type { ChannelConfig } from '../domain/channel-config.ts';
import type { MailContent } from '../domain/email.ts';
import type { Notice } from '../domain/notice.ts';
import type { Outcome } from '../domain/outcome.ts';

/** One kind of channel: what its configuration must be, and how an alert gets there. */
export interface ChannelKind {
  /** As the API spells it. */
  readonly type: string;
  /**
   * Names everything that is wrong, by paths such as `config.url`. Keys that it does not know are none of its business.
   */
  check(config: ChannelConfig, errors: FieldErrorCollector): Promise<void>;
  /** Whether its message would tell where a public page is that shows the monitor. */
  wantsStatusPage?(config: ChannelConfig): boolean;
  /** Makes one attempt, which takes ten seconds or so at most. Never throws. */
  send(config: ChannelConfig, notice: Notice): Promise<Outcome>;
}

/** Makes one attempt to post a signed message (Standard Webhooks), ten seconds or so at most. Never throws. */
export type PostMessage = (message: {
  readonly id: string;
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
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

/** Who owns organizations, asked of identity. */
export interface Owners {
  /** @throws ServiceError `unavailable` while nobody can tell. */
  of(organizationId: string): Promise<readonly { readonly id: string; readonly email: string }[]>;
}

/** Public pages, asked of statuspage. */
export interface StatusPages {
  /**
   * Where the public finds a page that shows a monitor, of several the oldest one. Undefined where there is none, and
   * while nobody can tell: a link is not worth a late alert.
   */
  urlFor(organizationId: string, monitorId: string): Promise<string | undefined>;
}

/** What operators watch. */
export interface DeliveryMeters {
  attempted(type: string, outcome: string): void;
  /** Seconds from the event at its source to the receiver's yes. */
  delivered(type: string, seconds: number): void;
}

/** What the use cases work with. */
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
  /** What is wrong with a subscription's URL; undefined when nothing is. */
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
