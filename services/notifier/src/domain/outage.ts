import type { CheckOutcome, DeliveryStatus } from '@tocsin/enums';
import type { Alert, AlertKind } from './alert.ts';

/** What an outage page is about: a disruption, or an alert that belongs to none. */
export interface OutageSubject {
  readonly kind: 'disruption' | 'alert';
  readonly id: string;
}

/** One round of the monitor. */
export interface OutageRound {
  readonly at: Date;
  readonly results: readonly RegionOutcome[];
}

export interface RegionOutcome {
  readonly region: string;
  readonly outcome: CheckOutcome;
  /** Empty for a pass. */
  readonly error: string;
}

/** One alert on its way to one channel. */
export interface Notification {
  readonly channelName: string;
  readonly channelType: string;
  readonly event: AlertKind;
  readonly status: DeliveryStatus;
  /** When it arrived or was given up; undefined while it waits. */
  readonly finishedAt: Date | undefined;
}

/** A disruption as far as the page of its outage shows it. */
export interface OutageDisruption {
  readonly acknowledgement: { readonly at: Date; readonly by: string } | undefined;
  readonly resolvedAt: Date | undefined;
}

/** What the page of an outage shows. */
export interface Outage {
  readonly subject: OutageSubject;
  /** Oldest first, at least one. */
  readonly alerts: readonly [Alert, ...Alert[]];
  readonly notifications: readonly Notification[];
  /** Newest first; undefined while the monitor service is unavailable. */
  readonly rounds: readonly OutageRound[] | undefined;
  /** Undefined when there is none, or while the disruption service is unavailable. */
  readonly disruption: OutageDisruption | undefined;
  readonly statusPageUrl: string | undefined;
}

/** When an outage began, and when it ended; an alert without an outage has only its time. */
export function spanOf({ subject, alerts, disruption }: Pick<Outage, 'subject' | 'alerts' | 'disruption'>): {
  readonly from: Date;
  readonly until: Date | undefined;
} {
  const [first] = alerts;
  const recovered = alerts.find(({ kind }) => kind === 'monitor_recovered');
  const from = recovered?.downSince ?? first.at;
  return { from, until: subject.kind === 'disruption' ? (recovered?.at ?? disruption?.resolvedAt) : undefined };
}

/** Whether somebody may still say that they are taking care of it. */
export function canBeAcknowledged(outage: Outage): boolean {
  const { disruption } = outage;
  return disruption !== undefined && !disruption.acknowledgement && !disruption.resolvedAt && !spanOf(outage).until;
}
