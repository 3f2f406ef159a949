import type { Transaction } from '@tocsin/database';
import type { Tables } from './tables.ts';

export interface MonitorOf {
  readonly organizationId: string;
  readonly monitorId: string;
}

/** A monitor with its channels at a time. */
export interface WatchedMonitor {
  readonly monitorId: string;
  readonly name: string;
  readonly channelIds: readonly string[];
  readonly at: Date;
}

/**
 * Saves different monitors and their channels. Ignores channels that do not exist, and locks the others against
 * deletion until the transaction ends. For a monitor without channels, records since when it has had no channel. Does
 * not wait for the result.
 */
export function saveWatchedMonitors(
  tx: Transaction,
  organizationId: string,
  monitors: readonly WatchedMonitor[],
): void {
  const links = monitors.flatMap(({ monitorId, channelIds }) => channelIds.map((id) => ({ monitorId, id })));
  tx.send(
    `with kept as (
       select id from channel where organization_id = $1 and id = any($6::uuid[]) and deleted_at is null order by id for key share
     ), now_has as (
       select m.id, m.name, m.at, coalesce(array_agg(kept.id order by kept.id) filter (where kept.id is not null), '{}') as ids
       from unnest($2::uuid[], $3::text[], $4::timestamptz[]) as m(id, name, at)
       left join (select distinct * from unnest($5::uuid[], $6::uuid[]) as l(monitor_id, channel_id)) link
         on link.monitor_id = m.id
       left join kept on kept.id = link.channel_id group by m.id, m.name, m.at
     )
     insert into watched_monitor as w (id, organization_id, name, channel_ids, unheard_since)
     select id, $1, name, ids, case when ids = '{}' then at end from now_has order by id
     on conflict (id) do update set name = excluded.name, channel_ids = excluded.channel_ids,
       unheard_since = case when excluded.channel_ids = '{}' then coalesce(w.unheard_since, excluded.unheard_since) end`,
    [
      organizationId,
      monitors.map(({ monitorId }) => monitorId),
      monitors.map(({ name }) => name),
      monitors.map(({ at }) => at),
      links.map(({ monitorId }) => monitorId),
      links.map(({ id }) => id),
    ],
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
