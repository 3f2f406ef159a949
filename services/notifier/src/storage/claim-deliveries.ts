import type { Transaction } from '@tocsin/database';
import type { DeliveryStatus } from '@tocsin/enums';
import { ALERT_KINDS, type Alert, type AlertKind } from '../domain/alert.ts';
import { LANES, type Lane, type LaneEntry, laneOf, SlotCounter } from '../domain/delivery-shares.ts';
import type { MailContent } from '../domain/email.ts';
import { rateOf } from '../domain/rates.ts';
import { CHANGE_KINDS, type Change } from '../domain/storm.ts';
import { pauseUnlessPaused } from './paused-recipient-store.ts';
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
  readonly to: ToChannel | ToSubscription | ToOwner;
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

export interface Claim {
  /** Attempts that are already running. They occupy slots, so fewer deliveries can be claimed. */
  readonly running: Iterable<LaneEntry>;
  readonly now: Date;
  readonly leasedUntil: Date;
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

interface ChannelRow
  extends CommonRow,
    Pick<
      Tables['alert'],
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
    >,
    Pick<Tables['delivery'], 'channel_id' | 'alert_id' | 'reached' | 'held_back_until'> {
  channel_id: string;
  sealed: string;
  channel_name: string;
  changes: readonly Change[] | null;
  type: string;
  alert_id: string;
  late: boolean;
}

interface SubscriptionRow extends CommonRow, Pick<Tables['subscription'], 'url'> {
  channel_id: null;
  owner_address: null;
  sealed: string;
  previous_sealed_secret: string | null;
  previous_secret_until: Date | null;
  body: string;
}

interface OwnerRow extends CommonRow, Pick<Tables['owner_mail'], 'subject' | 'body_text' | 'body_html'> {
  channel_id: null;
  owner_address: string;
}

type Row = ChannelRow | SubscriptionRow | OwnerRow;

const COLUMNS = `d.id, d.organization_id, coalesce(d.due_since, d.created_at) as created_at, d.late or d.status = 'held' as late, d.next_attempt_at > d.created_at as postponed, c.broken_at is not null as is_broken, d.attempts, d.next_attempt_at, d.leased_until, d.recipient_id, d.channel_id, d.owner_address, d.reached, d.held_back_until,
  coalesce(a.occurred_at, m.occurred_at, o.occurred_at) as occurred_at, coalesce(c.enabled, s.enabled, true) as enabled,
  coalesce(c.revision, s.revision, 0) as revision, coalesce(c.sealed_config, s.sealed_secret) as sealed,
  a.id as alert_id, a.event_id, a.kind, a.monitor_id, a.monitor_name, a.monitor_url, a.at, a.down_since, a.error,
  a.cert_expires_at, a.cert_days_remaining, a.disruption_id, a.incident_key, a.changes, c.name as channel_name, c.type, s.url, s.previous_sealed_secret, s.previous_secret_until, m.body, o.subject,
  o.body_text, o.body_html`;

const JOINS = `left join alert a on a.id = d.alert_id left join channel c on c.id = d.channel_id
  left join message m on m.id = d.message_id left join subscription s on s.id = d.subscription_id
  left join owner_mail o on o.id = d.mail_id`;

/** Maximum number of deliveries that one call of claimDeliveries() considers, per organization and in total. */
const CANDIDATES_PER_ORGANIZATION = 64;
const CANDIDATES = 512;

interface CandidateRow {
  delivery_id: string;
  organization_id: string;
  recipient_id: string;
  attempts: number;
  slow: boolean;
  channel_type: string | null;
}

/**
 * Claims due deliveries from organizations in turn. Concurrent claims by other replicas get different deliveries. For
 * each pair of resource and recipient, only the oldest unfinished delivery is claimed, so that a recovery is never sent
 * before the alert that the monitor is down. The number of claimed deliveries is limited by free slots: see
 * delivery-shares.ts.
 */
export async function claimDeliveries(tx: Transaction, claim: Claim): Promise<ClaimedDelivery[]> {
  const slots = new SlotCounter(claim.running);
  const candidates = await findCandidates(tx, claim.now, slots, claim.running);
  const withSlots = candidates.filter((row) => slots.tryTake(entryOf(row)));
  const chosen = await keepPace(tx, withSlots, claim.now);
  if (chosen.length === 0) return [];
  const rows = await tx.query<Row>(
    `with due as (
       select id from delivery
       where id = any($1::uuid[]) and status = 'pending' and next_attempt_at <= $2
         and (leased_until is null or leased_until <= $2)
       for update skip locked
     ), d as (
       update delivery set leased_until = $3 where id in (select id from due)
       returning id, organization_id, created_at, due_since, next_attempt_at, late, status, position, attempts, leased_until, recipient_id, alert_id, channel_id, message_id,
         subscription_id, mail_id, owner_address, reached, held_back_until
     )
     select ${COLUMNS} from d ${JOINS} order by d.position`,
    [chosen.map(({ delivery_id }) => delivery_id), claim.now, claim.leasedUntil],
  );
  const slow = new Set(chosen.filter((row) => row.slow).map(({ recipient_id }) => recipient_id));
  return rows.map(toClaimed).map((claimed) => ({ ...claimed, slow: slow.has(claimed.to.id) }));
}

/** Returns due deliveries of organizations and recipients that have a free slot. */
async function findCandidates(
  tx: Transaction,
  now: Date,
  slots: SlotCounter,
  running: Iterable<LaneEntry>,
): Promise<CandidateRow[]> {
  const entries = [...running];
  const organizations = [...new Set(entries.map(({ organizationId }) => organizationId))];
  const without = (lane: Lane) => organizations.filter((id) => !slots.hasRoom(lane, id));
  const full = LANES.filter((lane) => slots.free(lane) === 0);
  const busy = entries.filter((entry) => slots.isBusy(entry.lane, entry.recipientId)).map((entry) => entry.recipientId);
  // The innermost query reads one index in its order and stops at its limit, regardless of the planner's statistics.
  return tx.query<CandidateRow>(
    `with recursive organization as (
       (select organization_id as id from delivery_head order by organization_id limit 1)
       union all
       select (select h.organization_id from delivery_head h where h.organization_id > organization.id
               order by h.organization_id limit 1)
       from organization where organization.id is not null
     ), slow as materialized (
       select array(select recipient_id from slow_recipient) as ids
     ), paused as materialized (
       select array(select recipient_id from paused_recipient where until > $1) as ids
     )
     select c.*, channel.type as channel_type from organization cross join lateral (
       select due.*, row_number() over (order by due.due_at) as turn from (
         select h.delivery_id, h.organization_id, h.recipient_id, h.attempts, h.due_at,
           h.recipient_id = any((select ids from slow)::uuid[]) as slow
         from delivery_head h
         where h.organization_id = organization.id and h.due_at <= $1
           and h.recipient_id <> all($7::uuid[]) and h.recipient_id <> all((select ids from paused)::uuid[])
           and case when h.recipient_id = any((select ids from slow)::uuid[])
                    then 'slow' <> all($8::text[]) and h.organization_id <> all($2::uuid[])
                    when h.attempts = 0 then 'first' <> all($8::text[]) and h.organization_id <> all($3::uuid[])
                    else 'retry' <> all($8::text[]) and h.organization_id <> all($4::uuid[]) end
         order by h.due_at limit $5
       ) due
     ) c left join channel on channel.id = c.recipient_id
     order by c.turn, c.due_at limit $6`,
    [now, without('slow'), without('first'), without('retry'), CANDIDATES_PER_ORGANIZATION, CANDIDATES, busy, full],
  );
}

/**
 * Returns the deliveries that may be sent now. If the provider has a rate limit, a channel gets one message and is then
 * paused.
 */
async function keepPace(tx: Transaction, rows: readonly CandidateRow[], now: Date): Promise<CandidateRow[]> {
  const free = rows.filter((row) => rateOf(row.channel_type ?? '').intervalMs === 0);
  const paced = new Map<string, CandidateRow>();
  for (const row of rows) if (!free.includes(row) && !paced.has(row.recipient_id)) paced.set(row.recipient_id, row);
  if (paced.size === 0) return free;
  const pauses = [...paced.values()].map((row) => ({
    recipientId: row.recipient_id,
    organizationId: row.organization_id,
    until: new Date(now.getTime() + rateOf(row.channel_type ?? '').intervalMs),
  }));
  const mayBeSent = await pauseUnlessPaused(tx, pauses, now);
  return [...free, ...[...paced.values()].filter((row) => mayBeSent.has(row.recipient_id))];
}

function entryOf({ organization_id: organizationId, recipient_id: recipientId, attempts, slow }: CandidateRow) {
  return { organizationId, recipientId, lane: laneOf({ attempts, slow }) };
}

/** Returns a delivery of any status with all data that an attempt needs, without leasing it. */
export async function findForAttempt(
  tx: Transaction,
  organizationId: string,
  { id, recipientId }: { id: string; recipientId: string },
): Promise<ClaimedDelivery | undefined> {
  const rows = await tx.query<Row>(
    `select ${COLUMNS} from delivery d ${JOINS} where d.organization_id = $1 and d.recipient_id = $2 and d.id = $3`,
    [organizationId, recipientId, id],
  );
  return rows.map(toClaimed)[0];
}

/** A delivery to a channel, with its alert. */
export interface DeliveryOfAlert {
  readonly deliveryId: string;
  readonly alert: Alert;
}

interface DeliveryOfStorm extends DeliveryOfAlert {
  readonly channelId: string;
  /** Whether the alert is not sent separately, but listed in the next message about the storm. */
  readonly isGrouped: boolean;
  /** Whether the alert was sent, or will be sent, as a separate message. */
  readonly isAlerted: boolean;
}

/**
 * Returns the deliveries whose alerts wait for the next message about a storm (many monitors changing at once), sorted
 * by channel and order of insertion. If `since` is set, also returns the deliveries to the same channels for changes at
 * `since` or later, except those that are held back because their monitor is flapping.
 */
export async function findOfStorm(
  tx: Transaction,
  { organizationId, stormId, since }: { organizationId: string; stormId: string; since: Date | undefined },
): Promise<DeliveryOfStorm[]> {
  const rows = await tx.query<ChannelRow & { storm_id: string | null; status: string }>(
    `select ${COLUMNS}, d.storm_id, d.status from delivery d ${JOINS}
     where d.organization_id = $1 and d.channel_id in (select channel_id from delivery where storm_id = $2)
       and (d.storm_id = $2 or ($3::timestamptz is not null and a.occurred_at >= $3 and a.kind = any($4)
         and d.hold_reason is distinct from 'flapping'))
     order by d.channel_id, d.position`,
    [organizationId, stormId, since ?? null, CHANGE_KINDS],
  );
  return rows.map((row) => ({
    deliveryId: row.id,
    channelId: row.channel_id,
    isGrouped: row.storm_id === stormId,
    isAlerted: row.status === 'sent' || row.status === 'pending',
    alert: toAlert(row),
  }));
}

/** Returns the deliveries to a channel that are held back until `until` or earlier, in order of insertion. */
export async function findHeldBack(
  tx: Transaction,
  { organizationId, channelId, until }: { organizationId: string; channelId: string; until: Date },
): Promise<DeliveryOfAlert[]> {
  const rows = await tx.query<ChannelRow>(
    `select ${COLUMNS} from delivery d ${JOINS}
     where d.organization_id = $1 and d.channel_id = $2 and d.hold_until <= $3 order by d.position`,
    [organizationId, channelId, until],
  );
  return rows.map((row) => ({ deliveryId: row.id, alert: toAlert(row) }));
}

/** Returns the alert with this id; undefined if there is none. */
export async function findAlert(tx: Transaction, organizationId: string, id: string): Promise<Alert | undefined> {
  const rows = await tx.query<Omit<ChannelRow, 'alert_id'>>(
    'select a.* from alert a where a.organization_id = $1 and a.id = $2',
    [organizationId, id],
  );
  return rows.map((row) => toAlert({ ...row, alert_id: row.id }))[0];
}

/** Maximum number of later alerts that are read to find outdated states. */
const MAX_OVERTAKING = 1_000;

/**
 * Returns the alerts of later deliveries to the same channel that overtook a delivery or may do so now: those that were
 * sent or that are being attempted. Alerts about one monitor are sent in order. Therefore a message about several
 * monitors can be overtaken by all alerts about these monitors, and any other alert only by such messages. Of very
 * many alerts, the newest are returned.
 */
export async function findOvertaking(
  tx: Transaction,
  { id, organizationId }: Pick<ClaimedDelivery, 'id' | 'organizationId'>,
  { id: channelId, alert }: ToChannel,
  now: Date,
): Promise<Alert[]> {
  const rows = await tx.query<Omit<ChannelRow, 'alert_id'>>(
    `select a.* from delivery d join alert a on a.id = d.alert_id
     where d.organization_id = $1 and d.channel_id = $2
       and d.id > $3 and d.position > (select position from delivery where id = $3)
       and (d.status = 'sent' or d.status = 'pending' and d.leased_until > $4)
       and (a.changes is not null or a.monitor_id = any($5::uuid[]))
     order by d.position desc limit ${MAX_OVERTAKING}`,
    [organizationId, channelId, id, now, alert.changes?.map(({ monitorId }) => monitorId) ?? []],
  );
  return rows.map((row) => toAlert({ ...row, alert_id: row.id }));
}

/**
 * Returns the deliveries to a channel that were inserted at `since` or later and have one of the given statuses, oldest
 * first. Excludes test alerts.
 */
export async function findUnsent(
  tx: Transaction,
  { organizationId, channelId }: { organizationId: string; channelId: string },
  { since, statuses, limit }: { since: Date; statuses: readonly DeliveryStatus[]; limit: number },
): Promise<DeliveryOfAlert[]> {
  const rows = await tx.query<ChannelRow>(
    `select ${COLUMNS} from delivery d ${JOINS}
     where d.organization_id = $1 and d.channel_id = $2 and d.status = any($3) and d.created_at >= $4 and a.kind <> 'test'
     order by d.position limit $5`,
    [organizationId, channelId, statuses, since, limit],
  );
  return rows.map((row) => ({ deliveryId: row.id, alert: toAlert(row) }));
}

function toClaimed(row: Row): ClaimedDelivery {
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
  const { previous_sealed_secret: sealedSecret, previous_secret_until: until } = row;
  const previous = sealedSecret !== null && until ? { sealedSecret, until } : undefined;
  return { ...to, kind: 'subscription', url: row.url, sealedSecret: row.sealed, previous, body: row.body };
}

function toAlert(row: ChannelRow): Alert {
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

function toCertificate({ cert_expires_at: expiresAt, cert_days_remaining: daysRemaining }: ChannelRow) {
  return expiresAt && daysRemaining !== null ? { expiresAt, daysRemaining } : undefined;
}

function kindOf(text: string): AlertKind {
  const found = ALERT_KINDS.find((kind) => kind === text);
  if (!found)
    throw new Error(`a stored alert is of the unknown kind "${text}", expected one of ${ALERT_KINDS.join(', ')}`);
  return found;
}
