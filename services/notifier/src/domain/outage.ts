import type { ChannelType, CheckOutcome, DeliveryStatus } from '@tocsin/enums';
import type { Alert, AlertKind } from './alert.ts';
import type { HoldReason } from './hold-back.ts';
import type { LinkedChange } from './notice.ts';

/** Subject of an outage page: a disruption, or an alert without a disruption. */
export interface OutageSubject {
  readonly kind: 'disruption' | 'alert';
  readonly id: string;
}

/** A round of the monitor, with one result for each region. */
export interface OutageRound {
  readonly at: Date;
  readonly results: readonly RegionOutcome[];
}

export interface RegionOutcome {
  readonly region: string;
  readonly outcome: CheckOutcome;
  /** Error of the check; empty if the check passed. */
  readonly error: string;
}

/** Why a notification waits, and until when. */
export interface Wait {
  readonly reason: HoldReason | 'storm';
  readonly until: Date;
}

/** State of an alert's delivery to a channel. */
export interface Notification {
  readonly channelName: string;
  readonly channelType: ChannelType;
  readonly event: AlertKind;
  /**
   * Status of the delivery. If another message lists the alert, this is the status of the other message until that
   * message is sent, and `grouped` afterwards.
   */
  readonly status: DeliveryStatus;
  /**
   * Time at which the delivery, or the message that lists its alert, was sent or given up. Undefined until then.
   */
  readonly finishedAt: Date | undefined;
  /** Set while the alert is held back. */
  readonly wait?: Wait | undefined;
}

/** The parts of a disruption that the outage page shows. */
export interface OutageDisruption {
  readonly acknowledgement: { readonly at: Date; readonly by: string } | undefined;
  readonly resolvedAt: Date | undefined;
}

/** Content of an outage page. */
export interface Outage {
  readonly subject: OutageSubject;
  /** Alerts, oldest first. There is at least one. */
  readonly alerts: readonly [Alert, ...Alert[]];
  readonly notifications: readonly Notification[];
  /** Changes that a message about several monitors lists, each with the URL of its outage page. */
  readonly changes?: readonly LinkedChange[];
  /** Rounds, newest first; undefined while the monitor service is unavailable. */
  readonly rounds: readonly OutageRound[] | undefined;
  /** Undefined if there is no disruption, or while the disruption service is unavailable. */
  readonly disruption: OutageDisruption | undefined;
  readonly statusPageUrl: string | undefined;
}

/** Returns the beginning and end of an outage. An alert without a disruption has only a beginning. */
export function spanOf({ subject, alerts, disruption }: Pick<Outage, 'subject' | 'alerts' | 'disruption'>): {
  readonly from: Date;
  readonly until: Date | undefined;
} {
  const [first] = alerts;
  const recovered = alerts.find(({ kind }) => kind === 'monitor_recovered');
  const from = recovered?.downSince ?? first.at;
  return { from, until: subject.kind === 'disruption' ? (recovered?.at ?? disruption?.resolvedAt) : undefined };
}

/** Returns whether the outage can still be acknowledged. */
export function canBeAcknowledged(outage: Outage): boolean {
  const { disruption } = outage;
  return disruption !== undefined && !disruption.acknowledgement && !disruption.resolvedAt && !spanOf(outage).until;
}
