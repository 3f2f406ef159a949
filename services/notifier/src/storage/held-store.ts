import type { Transaction } from '@tocsin/database';
import { WAKE_CHANNEL_SQL } from './insert-deliveries.ts';

interface ChannelKey {
  readonly id: string;
  readonly organizationId: string;
}

/**
 * Holds the unfinished deliveries of a broken channel until the channel is healthy again: pending ones, and those that
 * a later combined message will contain. A delivery that is being sent keeps its lease, and is marked as sent if its
 * receiver accepts it. It is held with the others because a fallback gets the alerts of a monitor in their order.
 */
export async function holdPending(tx: Transaction, { id, organizationId }: ChannelKey, error: string): Promise<void> {
  await tx.query(
    `update delivery set status = 'held', last_error = $3, storm_id = null, hold_reason = null, hold_until = null
     where channel_id = $1 and organization_id = $2
       and (status = 'pending' or storm_id is not null or hold_until is not null)`,
    [id, organizationId, error],
  );
}

/**
 * Assignments that make a delivery due at the time `$3`, or later at the end of its lease. The trigger that maintains
 * `delivery_head` reads only next_attempt_at when a delivery becomes pending.
 */
const DUE_AGAIN = `status = 'pending', late = true, due_since = $3, next_attempt_at = greatest($3, leased_until), attempts = 0,
       leased_until = case when leased_until > $3 then leased_until end, finished_at = null`;

/** Drops the held deliveries of a channel. */
export async function dropHeld(
  tx: Transaction,
  { id, organizationId }: ChannelKey,
  { error, now }: { error: string; now: Date },
): Promise<void> {
  await tx.query(
    `update delivery set status = 'dropped', last_error = $3, finished_at = $4
     where channel_id = $1 and organization_id = $2 and status = 'held'`,
    [id, organizationId, error, now],
  );
}

/**
 * Drops the held deliveries of a channel that were created before `since`. Makes the others due now, and returns their
 * ids. A delivery that a probe is sending is due when the probe's lease ends.
 */
export async function releaseHeld(
  tx: Transaction,
  { id, organizationId }: ChannelKey,
  { since, now }: { since: Date; now: Date },
): Promise<string[]> {
  await tx.query(
    `update delivery set status = 'dropped', last_error = 'the channel was broken for more than 24 hours', finished_at = $4
     where channel_id = $1 and organization_id = $2 and status = 'held' and created_at < $3`,
    [id, organizationId, since, now],
  );
  const released = await tx.query<{ id: string }>(
    `update delivery set ${DUE_AGAIN}
     where channel_id = $1 and organization_id = $2 and status = 'held' returning id`,
    [id, organizationId, now],
  );
  if (released.length > 0) await tx.query(`select pg_notify(${WAKE_CHANNEL_SQL}, '')`);
  return released.map(({ id }) => id);
}

/**
 * Makes failed, dropped or held deliveries due again. A delivery that a probe is sending is due when the probe's lease
 * ends. Returns the number of deliveries that it changed.
 */
export async function makeDueAgain(
  tx: Transaction,
  { ids, organizationId }: { ids: readonly string[]; organizationId: string },
  now: Date,
): Promise<number> {
  const released = await tx.query(
    `update delivery set ${DUE_AGAIN}
     where id = any($1::uuid[]) and organization_id = $2 and status in ('failed', 'dropped', 'held') returning id`,
    [ids, organizationId, now],
  );
  if (released.length > 0) await tx.query(`select pg_notify(${WAKE_CHANNEL_SQL}, '')`);
  return released.length;
}

/** Returns the approximate number of outages that have an undelivered alert with an attempt at or after `since`. */
export async function countFailingOutages(
  tx: Transaction,
  { organizationId, channelId, since }: { organizationId: string; channelId: string; since: Date },
): Promise<number> {
  const [row] = await tx.query<{ outages: number }>(
    `select count(distinct coalesce(a.disruption_id, a.id)) as outages
     from delivery d join alert a on a.id = d.alert_id
     where d.channel_id = $1 and d.organization_id = $2 and d.status in ('pending', 'failed')
       and a.kind not in ('test', 'channel_broken', 'channel_healed')
       and exists (select from delivery_attempt t where t.delivery_id = d.id and t.at >= $3)`,
    [channelId, organizationId, since],
  );
  return row?.outages ?? 0;
}

/** Returns whether a channel got an alert at `since` or later. Test alerts do not count. */
export async function gotAlertSince(
  tx: Transaction,
  { organizationId, channelId, since }: { organizationId: string; channelId: string; since: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `select from delivery d join alert a on a.id = d.alert_id
     where d.channel_id = $1 and d.organization_id = $2 and d.status = 'sent' and d.finished_at >= $3
       and a.kind <> 'test' limit 1`,
    [channelId, organizationId, since],
  );
  return rows.length > 0;
}
