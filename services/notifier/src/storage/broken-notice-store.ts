import type { Transaction } from '@tocsin/database';

/**
 * Condition for deliveries that were not sent and are not being sent. Includes deliveries that wait to be combined with
 * others into one message.
 */
const UNSENT = `(d.status = 'held' or d.status = 'pending' and (d.leased_until is null or d.leased_until <= $4)
  or d.storm_id is not null or d.hold_until is not null)`;

/**
 * Drops unsent messages that report a channel as broken. Returns the channels that already got one of these messages,
 * and whether an owner got one. Messages that are being sent count as sent.
 */
export async function withdrawBrokenNotices(
  tx: Transaction,
  { id, organizationId, brokenAt }: { id: string; organizationId: string; brokenAt: Date },
  { error, now }: { error: string; now: Date },
): Promise<{ channelIds: string[]; owners: boolean }> {
  await tx.query(
    `update owner_mail set addressed_at = $4
     where organization_id = $1 and resource_id = $2 and kind = 'channel_broken' and occurred_at >= $3
       and addressed_at is null`,
    [organizationId, id, brokenAt, now],
  );
  const rows = await tx.query<{ channel_id: string | null; owner_id: string | null }>(
    `with about as (
       select d.id, d.channel_id, d.owner_id, d.status, ${UNSENT} as is_unsent from delivery d
       where d.alert_id = any(array(
         select id from alert
         where organization_id = $1 and monitor_id = $2 and kind = 'channel_broken' and occurred_at >= $3
       )) or d.mail_id = any(array(
         select id from owner_mail
         where organization_id = $1 and resource_id = $2 and kind = 'channel_broken' and occurred_at >= $3
       ))
       order by d.id for update
     ), dropped as (
       update delivery d set status = 'dropped', last_error = $5, finished_at = $4, storm_id = null, hold_reason = null,
         hold_until = null
       from about where d.id = about.id and about.is_unsent
     )
     select channel_id, owner_id from about where not is_unsent and status in ('sent', 'pending', 'grouped')`,
    [organizationId, id, brokenAt, now, error],
  );
  const channelIds = rows.flatMap((row) => (row.channel_id === null ? [] : [row.channel_id]));
  return { channelIds: [...new Set(channelIds)], owners: rows.some((row) => row.owner_id !== null) };
}

/** Returns the owners to whom the latest email about a broken channel was sent or is still to be sent. */
export async function findOwnersWithBrokenNotice(
  tx: Transaction,
  { organizationId, channelId }: { organizationId: string; channelId: string },
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ owner_id: string }>(
    `select d.owner_id from delivery d
     where d.owner_id is not null and d.status in ('sent', 'pending') and d.mail_id = (
       select id from owner_mail where organization_id = $1 and resource_id = $2 and kind = 'channel_broken'
       order by position desc limit 1
     )`,
    [organizationId, channelId],
  );
  return new Set(rows.map((row) => row.owner_id));
}
