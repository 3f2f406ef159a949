import type { Transaction } from '@tocsin/database';
import type { DeliveryStatus } from '@tocsin/enums';
import type { Alert } from '../domain/alert.ts';
import { CHANGE_KINDS } from '../domain/storm.ts';
import {
  ALERT_COLUMNS,
  type AlertRow,
  type ClaimedDelivery,
  COLUMNS,
  JOINS,
  type Row,
  type ToChannel,
  toAlert,
  toClaimed,
} from './delivery-rows.ts';

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

/** A delivery of an alert that is listed in a message about several alerts. */
export interface ListedDelivery extends DeliveryOfAlert {
  /** Number that grows with each inserted delivery. */
  readonly position: string;
}

export interface DeliveryOfStorm extends ListedDelivery {
  /** Whether the alert is not sent separately, but listed in the next message about the storm. */
  readonly isGrouped: boolean;
  /** Whether the alert was sent, or will be sent, as a separate message. */
  readonly isAlerted: boolean;
}

/** Maximum number of alerts that one message lists. */
const MAX_LISTED = 1_000;

/** Maximum size, in bytes, of the lists in the alerts that one message lists. The first alert is always included. */
const MAX_LISTED_BYTES = 1024 ** 2;

/** Returns the channels of the deliveries whose alerts wait for the next message about a storm. */
export async function findStormChannels(
  tx: Transaction,
  { organizationId, stormId }: { organizationId: string; stormId: string },
): Promise<string[]> {
  const rows = await tx.query<{ channel_id: string }>(
    'select distinct channel_id from delivery where organization_id = $1 and storm_id = $2',
    [organizationId, stormId],
  );
  return rows.map((row) => row.channel_id);
}

/**
 * Returns deliveries to a channel whose alerts wait for the next message about a storm (many monitors changing at
 * once), in order of insertion. If `since` is set, also returns the deliveries for changes at `since` or later, except
 * those that are held back because their monitor is flapping. Returns as many as one message lists, starting after the
 * position `after`.
 */
export async function findOfStorm(
  tx: Transaction,
  {
    organizationId,
    stormId,
    channelId,
    since,
    after,
  }: { organizationId: string; stormId: string; channelId: string; since: Date | undefined; after: string },
): Promise<DeliveryOfStorm[]> {
  const rows = await tx.query<ListedRow & { storm_id: string | null; status: string }>(
    listed(`d.organization_id = $1 and d.channel_id = $2 and d.position > $3
       and (d.storm_id = $4 or ($5::timestamptz is not null and a.occurred_at >= $5 and a.kind = any($6)
         and d.hold_reason is distinct from 'flapping'))`),
    [organizationId, channelId, after, stormId, since ?? null, CHANGE_KINDS],
  );
  return rows.map((row) => ({
    ...toListed(row),
    isGrouped: row.storm_id === stormId,
    isAlerted: row.status === 'sent' || row.status === 'pending',
  }));
}

/**
 * Returns deliveries to a channel that are held back until `until` or earlier, in order of insertion. Returns as many
 * as one message lists.
 */
export async function findHeldBack(
  tx: Transaction,
  { organizationId, channelId, until }: { organizationId: string; channelId: string; until: Date },
): Promise<ListedDelivery[]> {
  const rows = await tx.query<ListedRow>(
    listed('d.organization_id = $1 and d.channel_id = $2 and d.hold_until <= $3'),
    [organizationId, channelId, until],
  );
  return rows.map(toListed);
}

type ListedRow = AlertRow & { id: string; position: string };

/** Returns SQL for the first deliveries that meet a condition, as many as one message lists. */
function listed(condition: string): string {
  return withinBytes(
    MAX_LISTED_BYTES,
    `select d.id, d.position, d.storm_id, d.status, ${ALERT_COLUMNS}, a.changes
     from delivery d join alert a on a.id = d.alert_id where ${condition}
     order by d.position limit ${MAX_LISTED}`,
    'position',
  );
}

/**
 * Returns SQL for the first of `rows`, in the given order, whose `changes` have at most `bytes` together. The first row
 * is always included.
 */
function withinBytes(bytes: number, rows: string, order: 'position' | 'position desc'): string {
  return `with found as (${rows}), sized as (
       select *, row_number() over (order by ${order}) as number,
         sum(coalesce(octet_length(changes::text), 0)) over (order by ${order}) as bytes
       from found
     )
     select * from sized where bytes <= ${bytes} or number = 1 order by number`;
}

function toListed(row: ListedRow): ListedDelivery {
  return { deliveryId: row.id, position: String(row.position), alert: toAlert(row) };
}

/** Returns the alert with this id; undefined if there is none. */
export async function findAlert(tx: Transaction, organizationId: string, id: string): Promise<Alert | undefined> {
  const rows = await tx.query<AlertRow>(
    `select ${ALERT_COLUMNS}, a.changes from alert a where a.organization_id = $1 and a.id = $2`,
    [organizationId, id],
  );
  return rows.map(toAlert)[0];
}

/** Maximum number of later alerts that are read to find outdated states. */
const MAX_OVERTAKING = 1_000;

/** Maximum size, in bytes, of the lists in these alerts. */
const MAX_OVERTAKING_BYTES = 4 * 1024 ** 2;

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
  const rows = await tx.query<AlertRow>(
    withinBytes(
      MAX_OVERTAKING_BYTES,
      `select d.position, ${ALERT_COLUMNS}, a.changes
       from delivery d join alert a on a.id = d.alert_id
       where d.organization_id = $1 and d.channel_id = $2
         and d.id > $3 and d.position > (select position from delivery where id = $3)
         and (d.status = 'sent' or d.status = 'pending' and d.leased_until > $4)
         and (a.changes is not null or a.monitor_id = any($5::uuid[]))
       order by d.position desc limit ${MAX_OVERTAKING}`,
      'position desc',
    ),
    [organizationId, channelId, id, now, alert.changes?.map(({ monitorId }) => monitorId) ?? []],
  );
  return rows.map(toAlert);
}

/**
 * Returns the deliveries to a channel that were inserted at `since` or later and have one of the given statuses, oldest
 * first. Excludes test alerts. The alerts have no `changes`, so that many of them fit in memory.
 */
export async function findUnsent(
  tx: Transaction,
  { organizationId, channelId }: { organizationId: string; channelId: string },
  { since, statuses, limit }: { since: Date; statuses: readonly DeliveryStatus[]; limit: number },
): Promise<DeliveryOfAlert[]> {
  const rows = await tx.query<AlertRow & { id: string }>(
    `select d.id, ${ALERT_COLUMNS}, null as changes from delivery d join alert a on a.id = d.alert_id
     where d.organization_id = $1 and d.channel_id = $2 and d.status = any($3) and d.created_at >= $4 and a.kind <> 'test'
     order by d.position limit $5`,
    [organizationId, channelId, statuses, since, limit],
  );
  return rows.map((row) => ({ deliveryId: row.id, alert: toAlert(row) }));
}
