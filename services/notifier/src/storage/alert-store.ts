import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Alert } from '../domain/alert.ts';

/** The channel on which every replica's workers are woken, from the schema's name. */
export const WAKE_CHANNEL_SQL = `'tocsin_deliveries_' || current_schema()`;

/**
 * Writes an alert with one delivery per channel, and wakes the workers when the transaction commits. False when the alert's
 * fact had made one before; nothing is written then.
 */
export async function insertAlert(
  tx: Transaction,
  alert: Alert,
  channelIds: readonly string[],
  now: Date,
): Promise<boolean> {
  const { id, organizationId, eventId, kind, monitor, at, downSince, error, occurredAt } = alert;
  const inserted = await tx.query(
    `insert into alert (id, organization_id, event_id, kind, monitor_id, monitor_name, monitor_url, at, down_since, error, occurred_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
     on conflict (organization_id, event_id) do nothing returning id`,
    [
      id,
      organizationId,
      eventId,
      kind,
      monitor.id,
      monitor.name,
      monitor.url,
      at,
      downSince ?? null,
      error,
      occurredAt,
    ],
  );
  if (inserted.length === 0) return false;
  await tx.query(
    `insert into delivery (id, organization_id, alert_id, channel_id, monitor_id, status, next_attempt_at, created_at)
     select t.id, $3, $4, t.channel_id, $5, 'pending', $6, $6 from unnest($1::uuid[], $2::uuid[]) as t(id, channel_id)`,
    [channelIds.map(() => v7()), channelIds, organizationId, id, monitor.id, now],
  );
  await tx.query(`select pg_notify(${WAKE_CHANNEL_SQL}, '')`);
  return true;
}

/** Deletes what ended before this moment, at most so much at once; answers how many deliveries went. */
export async function deleteOld(tx: Transaction, before: Date, limit: number): Promise<number> {
  const deleted = await tx.query(
    `delete from delivery where id in (
       select id from delivery where status <> 'pending' and finished_at < $1 limit $2
     ) returning id`,
    [before, limit],
  );
  await tx.query(
    `delete from alert where id in (
       select id from alert a where occurred_at < $1 and not exists (select from delivery d where d.alert_id = a.id) limit $2
     )`,
    [before, limit],
  );
  return deleted.length;
}
