import type { Transaction } from '@tocsin/database';
import type { DeliveryStatus } from '@tocsin/enums';
import type { Alert } from '../domain/alert.ts';
import { CHANGE_KINDS } from '../domain/storm.ts';
import {
  type ChannelRow,
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
