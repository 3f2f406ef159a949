import type { Transaction } from '@tocsin/database';
import type { AlertMonitor } from '../domain/alert.ts';

export interface OpenIncident {
  readonly channelId: string;
  readonly key: string;
  readonly monitor: AlertMonitor;
  /** Whether the channel is broken. A broken channel holds the alert that closes the incident. */
  readonly isBroken: boolean;
}

/** Records that an incident is open at the given channels. */
export function insertOpenIncidents(
  tx: Transaction,
  { organizationId, key, monitor }: { organizationId: string; key: string; monitor: AlertMonitor },
  channelIds: readonly string[],
): void {
  if (channelIds.length === 0) return;
  tx.send(
    `insert into open_incident select id, $2, $3, $4, $5, $6 from unnest($1::uuid[]) as t(id) on conflict do nothing`,
    [channelIds, key, organizationId, monitor.id, monitor.name, monitor.url],
  );
}

/** Whether a channel has an open incident. */
export async function hasOpenIncidents(tx: Transaction, organizationId: string, channelId: string): Promise<boolean> {
  const sql = 'select from open_incident where organization_id = $1 and channel_id = $2 limit 1';
  return (await tx.query(sql, [organizationId, channelId])).length > 0;
}

/** Returns the keys of a channel's open incidents. */
export async function findOpenKeys(tx: Transaction, organizationId: string, channelId: string): Promise<Set<string>> {
  const sql = 'select key from open_incident where organization_id = $1 and channel_id = $2';
  const rows = await tx.query<{ key: string }>(sql, [organizationId, channelId]);
  return new Set(rows.map(({ key }) => key));
}

/** Filter for open incidents. Absent fields do not filter. */
export interface IncidentFilter {
  readonly monitorId?: string | undefined;
  readonly channelId?: string | undefined;
  /** Excludes incidents of these channels. */
  readonly exceptChannelIds?: readonly string[] | undefined;
  /** Includes only keys with one of these prefixes. */
  readonly keyPrefixes?: readonly string[] | undefined;
  readonly exceptKey?: string | undefined;
}

/** Deletes open incidents and returns the deleted ones. */
export async function deleteOpenIncidents(
  tx: Transaction,
  organizationId: string,
  filter: IncidentFilter,
): Promise<OpenIncident[]> {
  const rows = await tx.query<{
    channel_id: string;
    key: string;
    monitor_id: string;
    monitor_name: string;
    monitor_url: string;
    is_broken: boolean;
  }>(
    `delete from open_incident i using channel c
     where c.id = i.channel_id and i.organization_id = $1
       and ($2::uuid is null or i.monitor_id = $2) and ($3::uuid is null or i.channel_id = $3)
       and i.channel_id <> all($4::uuid[])
       and ($5::text[] is null or exists (select from unnest($5::text[]) as p(prefix) where starts_with(i.key, p.prefix)))
       and ($6::text is null or i.key <> $6)
     returning i.channel_id, i.key, i.monitor_id, i.monitor_name, i.monitor_url, c.broken_at is not null as is_broken`,
    [
      organizationId,
      filter.monitorId ?? null,
      filter.channelId ?? null,
      filter.exceptChannelIds ?? [],
      filter.keyPrefixes ?? null,
      filter.exceptKey ?? null,
    ],
  );
  return rows.map((row) => ({
    channelId: row.channel_id,
    key: row.key,
    monitor: { id: row.monitor_id, name: row.monitor_name, url: row.monitor_url },
    isBroken: row.is_broken,
  }));
}
