import type { Transaction } from '@tocsin/database';
import type { Tables } from './tables.ts';

export interface MonitorOf {
  readonly organizationId: string;
  readonly monitorId: string;
}

/**
 * Saves a monitor and its channels. Ignores channels that do not exist, and locks the others against deletion until the
 * transaction ends. For a monitor without channels, records since when it has had no channel.
 */
export async function saveWatchedMonitor(
  tx: Transaction,
  { organizationId, monitorId, name, channelIds, at }: MonitorOf & { name: string; channelIds: string[]; at: Date },
): Promise<void> {
  await tx.query(
    `with kept as (
       select id from channel where organization_id = $2 and id = any($4::uuid[]) and deleted_at is null order by id for key share
     ), now_has as (select coalesce(array_agg(id), '{}') as ids from kept)
     insert into watched_monitor as w (id, organization_id, name, channel_ids, unheard_since)
     select $1, $2, $3, ids, case when ids = '{}' then $5::timestamptz end from now_has
     on conflict (id) do update set name = excluded.name, channel_ids = excluded.channel_ids,
       unheard_since = case when excluded.channel_ids = '{}' then coalesce(w.unheard_since, excluded.unheard_since) end`,
    [monitorId, organizationId, name, channelIds, at],
  );
}

export async function deleteWatchedMonitor(tx: Transaction, { organizationId, monitorId }: MonitorOf): Promise<void> {
  await tx.query('delete from watched_monitor where organization_id = $1 and id = $2', [organizationId, monitorId]);
}

/**
 * Removes a deleted channel from its monitors. For monitors without another channel, records that they have had no
 * channel since `now`.
 */
export async function unlinkDeletedChannel(
  tx: Transaction,
  { organizationId, channelId, now }: { organizationId: string; channelId: string; now: Date },
): Promise<void> {
  await tx.query(
    `update watched_monitor set channel_ids = array_remove(channel_ids, $2::uuid),
       unheard_since = case when array_remove(channel_ids, $2::uuid) = '{}' then $3::timestamptz end
     where organization_id = $1 and id in (
       select id from watched_monitor where organization_id = $1 and channel_ids @> array[$2::uuid] order by id for update
     )`,
    [organizationId, channelId, now],
  );
}

/**
 * Returns organizations with a monitor that has had no channel since `since` or earlier. Leaves out organizations for
 * which the digest due at `due` already exists.
 */
export async function organizationsToMail(
  tx: Transaction,
  { due, since, limit }: { due: Date; since: Date; limit: number },
): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['watched_monitor'], 'organization_id'>>(
    `select distinct organization_id from watched_monitor w
     where unheard_since <= $2 and not exists (
       select from owner_mail o
       where o.organization_id = w.organization_id and o.kind = 'weekly_digest' and o.occurred_at = $1
     ) order by organization_id limit $3`,
    [due, since, limit],
  );
  return rows.map(({ organization_id }) => organization_id);
}

export interface MonitorWithoutChannel {
  readonly id: string;
  readonly name: string;
  readonly withoutChannelSince: Date;
}

/**
 * Returns at most `limit` monitors that have had no channel since `since` or earlier, and the total number of such
 * monitors. Monitors that have been without a channel for the longest time come first.
 */
export async function listMonitorsWithoutChannel(
  tx: Transaction,
  { organizationId, since, limit }: { organizationId: string; since: Date; limit: number },
): Promise<{ monitors: MonitorWithoutChannel[]; total: number }> {
  const rows = await tx.query<MonitorWithoutChannel & { total: number }>(
    `select id, name, unheard_since as "withoutChannelSince", count(*) over ()::int as total from watched_monitor
     where organization_id = $1 and unheard_since <= $2 order by unheard_since, id limit $3`,
    [organizationId, since, limit],
  );
  return { monitors: rows, total: rows[0]?.total ?? 0 };
}
