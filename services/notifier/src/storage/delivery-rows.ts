import type { Locale } from '@tocsin/enums';
import { ALERT_KINDS, type Alert, type AlertKind } from '../domain/alert.ts';
import type { MailContent } from '../domain/email.ts';
import type { Change } from '../domain/storm.ts';
import type { SubscribedPage } from '../domain/subscriber.ts';
import type { PageNotice } from '../domain/subscriber-emails.ts';
import type { Tables } from './tables.ts';

/** A delivery leased to one worker, with all data that an attempt needs. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly organizationId: string;
  /** Number of recorded attempts, not counting redeliveries and probes. */
  readonly attempts: number;
  readonly leasedUntil: Date;
  /** Time at which the attempt became due. */
  readonly dueAt: Date;
  /** Time at which the delivery was inserted, or last became due again, for example when its channel recovered. */
  readonly createdAt: Date;
  /** Whether the last attempt to send to the recipient timed out. */
  readonly slow: boolean;
  /** Whether the delivery became due later than it was inserted, for example because an attempt failed. */
  readonly postponed: boolean;
  /** Whether the delivery is an email to a subscriber of a status page. */
  readonly toSubscriber: boolean;
  readonly to: ToChannel | ToSubscription | ToOwner | ToSubscriber;
}

interface To {
  readonly id: string;
  readonly enabled: boolean;
  readonly revision: number;
  /** Whether the channel is broken. A broken channel is disabled and holds its alerts. */
  readonly isBroken: boolean;
}

export interface ToChannel extends To {
  readonly kind: 'channel';
  readonly name: string;
  readonly type: string;
  readonly sealedConfig: string;
  readonly alert: Alert;
  /** Marks (hashed addresses) of the recipients that already got the alert from earlier attempts. */
  readonly reached: readonly string[];
  /** Whether the alert was held while the channel was broken, or is replayed. */
  readonly late: boolean;
  /** Time until which further alerts are held back. Set only for the last message within the channel's limit. */
  readonly heldBackUntil?: Date | undefined;
}

export interface ToSubscription extends To {
  readonly kind: 'subscription';
  readonly url: string;
  readonly sealedSecret: string;
  /** Secret that the last rotation replaced. It stays valid for a limited time. */
  readonly previous: { readonly sealedSecret: string; readonly until: Date } | undefined;
  readonly body: string;
}

export interface ToOwner extends To {
  readonly kind: 'owner';
  readonly address: string;
  readonly mail: MailContent;
}
/** A visitor who subscribed to a status page. */
export interface ToSubscriber extends To {
  readonly kind: 'subscriber';
  readonly sealedAddress: string;
  readonly page: SubscribedPage;
  readonly notice: PageNotice;
}

interface CommonRow
  extends Pick<
      Tables['delivery'],
      'id' | 'organization_id' | 'attempts' | 'next_attempt_at' | 'leased_until' | 'recipient_id' | 'created_at'
    >,
    Pick<Tables['channel'], 'enabled' | 'revision'> {
  occurred_at: Date;
  is_broken: boolean;
  postponed: boolean;
}

/** The alert of a delivery. */
export interface AlertRow
  extends Pick<
    Tables['alert'],
    | 'organization_id'
    | 'occurred_at'
    | 'event_id'
    | 'kind'
    | 'monitor_id'
    | 'monitor_name'
    | 'monitor_url'
    | 'at'
    | 'down_since'
    | 'error'
    | 'cert_expires_at'
    | 'cert_days_remaining'
    | 'disruption_id'
    | 'incident_key'
  > {
  alert_id: string;
  changes: readonly Change[] | null;
}

interface ChannelRow
  extends CommonRow,
    Omit<AlertRow, 'organization_id' | 'occurred_at'>,
    Pick<Tables['delivery'], 'reached' | 'held_back_until'> {
  channel_id: string;
  sealed: string;
  channel_name: string;
  type: string;
  late: boolean;
}

interface SubscriptionRow extends CommonRow, Pick<Tables['subscription'], 'url'> {
  channel_id: null;
  owner_address: null;
  subscriber_id: null;
  sealed: string;
  previous_sealed_secret: string | null;
  previous_secret_until: Date | null;
  body: string;
}

interface OwnerRow extends CommonRow, Pick<Tables['owner_mail'], 'subject' | 'body_text' | 'body_html'> {
  channel_id: null;
  owner_address: string;
}

interface SubscriberRow extends CommonRow {
  channel_id: null;
  owner_address: null;
  subscriber_id: string;
  sealed: string;
  notice: PageNotice;
  page_id: string;
  page_name: string;
  page_url: string;
  page_locale: Locale;
}

export type Row = ChannelRow | SubscriptionRow | OwnerRow | SubscriberRow;

export const COLUMNS = `d.id, d.organization_id, coalesce(d.due_since, d.created_at) as created_at, d.late or d.status = 'held' as late, d.next_attempt_at > d.created_at as postponed, c.broken_at is not null as is_broken, d.attempts, d.next_attempt_at, d.leased_until, d.recipient_id, d.channel_id, d.owner_address, d.reached, d.held_back_until,
  coalesce(a.occurred_at, m.occurred_at, o.occurred_at, n.occurred_at) as occurred_at,
  coalesce(c.enabled, s.enabled, p.takes_subscribers, true) as enabled,
  coalesce(c.revision, s.revision, 0) as revision, coalesce(c.sealed_config, s.sealed_secret, r.sealed_address) as sealed,
  a.id as alert_id, a.event_id, a.kind, a.monitor_id, a.monitor_name, a.monitor_url, a.at, a.down_since, a.error,
  a.cert_expires_at, a.cert_days_remaining, a.disruption_id, a.incident_key, a.changes, c.name as channel_name, c.type, s.url, s.previous_sealed_secret, s.previous_secret_until, m.body, o.subject,
  o.body_text, o.body_html, d.subscriber_id, n.content as notice, p.id as page_id, p.name as page_name,
  p.url as page_url, p.locale as page_locale`;

export const JOINS = `left join alert a on a.id = d.alert_id left join channel c on c.id = d.channel_id
  left join message m on m.id = d.message_id left join subscription s on s.id = d.subscription_id
  left join owner_mail o on o.id = d.mail_id left join page_notice n on n.id = d.page_notice_id
  left join subscriber r on r.id = d.subscriber_id left join subscribed_page p on p.organization_id = n.organization_id and p.id = n.status_page_id`;

/**
 * Columns of an AlertRow except `changes`. The configuration of the channel is not among them: it may have several
 * hundred kilobytes, and many alerts are read at once.
 */
export const ALERT_COLUMNS = `a.id as alert_id, a.organization_id, a.occurred_at, a.event_id, a.kind, a.monitor_id,
  a.monitor_name, a.monitor_url, a.at, a.down_since, a.error, a.cert_expires_at, a.cert_days_remaining,
  a.disruption_id, a.incident_key`;

export function toClaimed(row: Row): ClaimedDelivery {
  const { id, organization_id: organizationId, attempts, leased_until: leasedUntil, next_attempt_at: dueAt } = row;
  const to = toRecipient(row);
  return {
    id,
    organizationId,
    attempts,
    leasedUntil: leasedUntil ?? new Date(0),
    dueAt,
    createdAt: row.created_at,
    slow: false,
    postponed: row.postponed,
    toSubscriber: to.kind === 'subscriber',
    to,
  };
}

function toRecipient(row: Row): ClaimedDelivery['to'] {
  const { recipient_id: id, enabled, is_broken: isBroken, revision } = row;
  const to = { id, enabled, isBroken, revision };
  if (row.channel_id !== null) {
    const { channel_name: name, type, sealed: sealedConfig, reached, late } = row;
    const heldBackUntil = row.held_back_until ?? undefined;
    return { ...to, kind: 'channel', name, type, sealedConfig, reached, late, heldBackUntil, alert: toAlert(row) };
  }
  if (row.owner_address !== null) {
    const { owner_address: address, subject, body_text: text, body_html: html } = row;
    return { ...to, kind: 'owner', address, mail: { subject, text, html } };
  }
  if (row.subscriber_id !== null) {
    const page = {
      id: row.page_id,
      organizationId: row.organization_id,
      name: row.page_name,
      url: row.page_url,
      locale: row.page_locale,
    };
    return { ...to, kind: 'subscriber', sealedAddress: row.sealed, page, notice: row.notice };
  }
  const { previous_sealed_secret: sealedSecret, previous_secret_until: until } = row;
  const previous = sealedSecret !== null && until ? { sealedSecret, until } : undefined;
  return { ...to, kind: 'subscription', url: row.url, sealedSecret: row.sealed, previous, body: row.body };
}

export function toAlert(row: AlertRow): Alert {
  return {
    id: row.alert_id,
    organizationId: row.organization_id,
    eventId: row.event_id,
    kind: kindOf(row.kind),
    monitor: { id: row.monitor_id, name: row.monitor_name, url: row.monitor_url },
    at: row.at,
    downSince: row.down_since ?? undefined,
    error: row.error,
    certificate: toCertificate(row),
    disruptionId: row.disruption_id ?? undefined,
    incidentKey: row.incident_key ?? undefined,
    changes: row.changes ?? undefined,
    occurredAt: row.occurred_at,
  };
}

function toCertificate({ cert_expires_at: expiresAt, cert_days_remaining: daysRemaining }: AlertRow) {
  return expiresAt && daysRemaining !== null ? { expiresAt, daysRemaining } : undefined;
}

function kindOf(text: string): AlertKind {
  const found = ALERT_KINDS.find((kind) => kind === text);
  if (!found)
    throw new Error(`a stored alert is of the unknown kind "${text}", expected one of ${ALERT_KINDS.join(', ')}`);
  return found;
}
