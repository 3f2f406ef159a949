import { LockMode } from '@mikro-orm/core';
import type { Database, LimitedRows, Transaction } from '@tocsin/database';
import { cutPart, type Paging, type Part } from '@tocsin/paging';
import type { Channel } from '../domain/channel.ts';
import type { ChannelPolicy } from '../domain/channel-policy.ts';
import { ChannelEntity, type ChannelRow } from './schema.ts';
import type { Tables } from './tables.ts';

/** Rows that count against the organization's channel limit. */
export const CHANNEL_ROWS: LimitedRows = {
  limit: 'alert_channels',
  table: 'channel',
  where: 'deleted_at is null',
};

/** A row without the configuration. The configuration is secret, so it is read only when an alert is sent. */
type OpenRow = Omit<ChannelRow, 'sealedConfig' | 'deletedAt'>;

/** Excludes deleted channels. Their rows remain only for closing incidents: see retireChannel(). */
const NOT_DELETED = { deletedAt: null };

function toDomain(row: OpenRow): Channel {
  const { brokenAt, brokenReason } = row;
  return {
    id: row.id,
    organizationId: row.organizationId,
    name: row.name,
    type: row.type,
    enabled: row.enabled,
    defaultForNewMonitors: row.defaultForNewMonitors,
    broken: brokenAt
      ? { at: brokenAt, reason: brokenReason ?? '', probes: row.probes, probeAt: row.probeAt ?? brokenAt }
      : undefined,
    failingSince: row.failingSince ?? undefined,
    fallbackChannelId: row.fallbackChannelId ?? undefined,
    policy: toPolicy(row),
    revision: row.revision,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

function toPolicy(
  row: Pick<OpenRow, 'reminderMinutes' | 'quietFrom' | 'quietTo' | 'quietTimeZone' | 'maxMessagesPerHour'>,
): ChannelPolicy {
  const { quietFrom: from, quietTo: to, quietTimeZone: timeZone } = row;
  return {
    reminderMinutes: row.reminderMinutes ?? undefined,
    quietHours: from && to && timeZone ? { from, to, timeZone } : undefined,
    maxMessagesPerHour: row.maxMessagesPerHour ?? undefined,
  };
}

/** Value for a column that migration 001 created and that is no longer used. */
const NO_FAILED_ALERTS = { failedAlerts: 0 };

function toRow({ broken, failingSince, fallbackChannelId, policy, ...channel }: Channel): OpenRow {
  return {
    ...channel,
    ...NO_FAILED_ALERTS,
    failingSince: failingSince ?? null,
    brokenAt: broken?.at ?? null,
    brokenReason: broken?.reason ?? null,
    probes: broken?.probes ?? 0,
    probeAt: broken?.probeAt ?? null,
    fallbackChannelId: fallbackChannelId ?? null,
    reminderMinutes: policy.reminderMinutes ?? null,
    quietFrom: policy.quietHours?.from ?? null,
    quietTo: policy.quietHours?.to ?? null,
    quietTimeZone: policy.quietHours?.timeZone ?? null,
    maxMessagesPerHour: policy.maxMessagesPerHour ?? null,
  };
}

export async function insertChannel(tx: Transaction, channel: Channel, sealedConfig: string): Promise<void> {
  await tx.em.insert(ChannelEntity, { ...toRow(channel), sealedConfig });
}

export async function findChannel(tx: Transaction, organizationId: string, id: string): Promise<Channel | undefined> {
  const row = await tx.em.findOne(ChannelEntity, { id, organizationId, ...NOT_DELETED });
  return row ? toDomain(row) : undefined;
}

/** Returns a channel like findChannel(), and locks its row until the transaction ends. */
export async function lockChannel(tx: Transaction, organizationId: string, id: string): Promise<Channel | undefined> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  const row = await tx.em.findOne(ChannelEntity, { id, organizationId, ...NOT_DELETED }, lock);
  return row ? toDomain(row) : undefined;
}

/** Returns the channels of a type with their sealed configurations, and locks their rows until the transaction ends. */
export async function lockChannelsOfType(
  tx: Transaction,
  organizationId: string,
  type: string,
): Promise<{ channel: Channel; sealedConfig: string }[]> {
  const options = {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    orderBy: { id: 'asc' },
    populate: ['sealedConfig'],
  } as const;
  const rows = await tx.em.find(ChannelEntity, { organizationId, type, ...NOT_DELETED }, options);
  return rows.map((row) => ({ channel: toDomain(row), sealedConfig: row.sealedConfig }));
}

/** Returns the sealed configurations of the channels of a type. */
export async function readSealedConfigs(
  tx: Transaction,
  organizationId: string,
  type: string,
): Promise<{ id: string; sealedConfig: string }[]> {
  const rows = await tx.query<Pick<Tables['channel'], 'id' | 'sealed_config'>>(
    'select id, sealed_config from channel where organization_id = $1 and type = $2 and deleted_at is null',
    [organizationId, type],
  );
  return rows.map((row) => ({ id: row.id, sealedConfig: row.sealed_config }));
}

/**
 * Returns the sealed configuration of a channel that the caller has read in this transaction.
 * @throws if the channel does not exist.
 */
export async function readSealedConfig(tx: Transaction, organizationId: string, id: string): Promise<string> {
  const options = { fields: ['sealedConfig'] } as const;
  return (await tx.em.findOneOrFail(ChannelEntity, { id, organizationId }, options)).sealedConfig;
}

/** Filter for channels. Absent fields do not filter. */
export interface ChannelFilter {
  readonly type?: string | undefined;
  readonly enabled?: boolean | undefined;
}

/** Returns a page of channels, newest first. */
export async function listChannels(
  tx: Transaction,
  organizationId: string,
  { type, enabled }: ChannelFilter,
  paging: Paging,
): Promise<Part<Channel>> {
  const { before, limit } = paging;
  const rows = await tx.em.find(
    ChannelEntity,
    {
      organizationId,
      ...NOT_DELETED,
      ...(type !== undefined && { type }),
      ...(enabled !== undefined && { enabled }),
      ...(before && { id: { $lt: before } }),
    },
    { orderBy: { id: 'desc' }, limit: limit + 1 },
  );
  return cutPart(rows.map(toDomain), paging);
}

/** Saves all fields of a channel except the configuration. */
export async function saveChannel(tx: Transaction, channel: Channel): Promise<void> {
  const { id, organizationId } = channel;
  await tx.em.nativeUpdate(ChannelEntity, { id, organizationId }, toRow(channel));
}

export async function replaceConfig(
  tx: Transaction,
  { id, organizationId }: Channel,
  sealedConfig: string,
): Promise<void> {
  await tx.em.nativeUpdate(ChannelEntity, { id, organizationId }, { sealedConfig });
}

/** Deletes a channel with its deliveries. Returns whether it existed. */
export async function removeChannel(tx: Transaction, organizationId: string, id: string): Promise<boolean> {
  return (await tx.em.nativeDelete(ChannelEntity, { id, organizationId })) > 0;
}

/**
 * Marks a channel as deleted. Its row remains only for the deliveries that will close its incidents. Deletes the
 * channel's name and its deliveries immediately. Deliveries with a running attempt remain, because the attempt must end
 * before its incident is closed.
 */
export async function retireChannel(
  tx: Transaction,
  { id, organizationId }: { id: string; organizationId: string },
  now: Date,
): Promise<void> {
  await tx.query(
    `update channel set name = '', enabled = false, default_for_new_monitors = false, broken_at = null,
       broken_reason = null, failing_since = null, fallback_channel_id = null, probe_at = null, deleted_at = $3
     where id = $1 and organization_id = $2`,
    [id, organizationId, now],
  );
  await tx.query('update channel set fallback_channel_id = null where fallback_channel_id = $1', [id]);
  await tx.query(
    `delete from delivery where channel_id = $1 and organization_id = $2
       and (status <> 'pending' or leased_until is null or leased_until <= $3)`,
    [id, organizationId, now],
  );
}

/** Returns whether a channel is deleted and its row still exists in order to close incidents. */
export async function isRetired(tx: Transaction, organizationId: string, id: string): Promise<boolean> {
  const sql = 'select from channel where id = $1 and organization_id = $2 and deleted_at is not null';
  return (await tx.query(sql, [id, organizationId])).length > 0;
}

/**
 * Removes the rows of deleted channels. Rows with a pending delivery remain, because this delivery closes an incident.
 */
export async function removeRetiredChannels(tx: Transaction): Promise<void> {
  await tx.query(
    `delete from channel c where deleted_at is not null
       and not exists (select from delivery d where d.channel_id = c.id and d.status = 'pending')`,
    [],
  );
}

/** Of the given ids, returns those of the organization's channels, oldest channel first. */
export async function existingChannelIds(
  database: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await database.read<Pick<Tables['channel'], 'id'>>(
    { organizationId },
    'select id from channel where organization_id = $1 and id = any($2::uuid[]) and deleted_at is null order by id',
    [organizationId, ids],
  );
  return rows.map(({ id }) => id);
}

/** Returns the ids of the default channels for new monitors, oldest first. */
export async function defaultChannelIds(database: Database, organizationId: string): Promise<string[]> {
  const rows = await database.read<Pick<Tables['channel'], 'id'>>(
    { organizationId },
    'select id from channel where organization_id = $1 and default_for_new_monitors and deleted_at is null order by id',
    [organizationId],
  );
  return rows.map(({ id }) => id);
}

/** A channel that gets an alert. A broken channel holds the alert until it is healthy again. */
export interface AlertedChannel {
  readonly id: string;
  readonly type: string;
  readonly isBroken: boolean;
  readonly policy: ChannelPolicy;
}

/** SQL condition for channels that get alerts: a broken one gets them when it is healthy again. */
export const ALERTED = '(enabled or broken_at is not null) and deleted_at is null';

/** Maximum number of fallbacks in a chain of broken channels. */
const MAX_FALLBACKS = 3;

const POLICY_COLUMNS = `reminder_minutes as "reminderMinutes", quiet_from as "quietFrom", quiet_to as "quietTo",
  quiet_time_zone as "quietTimeZone", max_messages_per_hour as "maxMessagesPerHour"`;

type PolicyRow = Parameters<typeof toPolicy>[0];

interface AlertedRow extends PolicyRow, Pick<Tables['channel'], 'id' | 'type' | 'fallback_channel_id'> {
  is_broken: boolean;
}

/**
 * Returns the channels with these ids that are enabled or broken, and the fallbacks of broken channels. Locks the rows
 * against changes until the transaction ends.
 */
export async function lockAlertedChannels(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
): Promise<AlertedChannel[]> {
  const found = new Map<string, AlertedChannel>();
  let wanted = ids;
  for (let hop = 0; hop <= MAX_FALLBACKS && wanted.length > 0; hop += 1) {
    const rows = await tx.query<AlertedRow>(
      `select id, type, broken_at is not null as is_broken, fallback_channel_id, ${POLICY_COLUMNS} from channel
       where organization_id = $1 and id = any($2::uuid[]) and ${ALERTED}
       order by id for share`,
      [organizationId, wanted],
    );
    for (const row of rows) found.set(row.id, toAlerted(row));
    const fallbacks = rows.flatMap((row) =>
      row.is_broken && row.fallback_channel_id ? [row.fallback_channel_id] : [],
    );
    wanted = [...new Set(fallbacks)].filter((id) => !found.has(id));
  }
  return [...found.values()];
}

/**
 * Returns channels in any state, including deleted ones. Locks their rows against changes until the transaction ends.
 */
export async function lockChannels(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
): Promise<AlertedChannel[]> {
  const rows = await tx.query<AlertedRow>(
    `select id, type, broken_at is not null as is_broken, fallback_channel_id, ${POLICY_COLUMNS} from channel
     where organization_id = $1 and id = any($2::uuid[]) order by id for share`,
    [organizationId, ids],
  );
  return rows.map(toAlerted);
}

function toAlerted(row: AlertedRow): AlertedChannel {
  return { id: row.id, type: row.type, isBroken: row.is_broken, policy: toPolicy(row) };
}

/** Returns the fallbacks of the given channels, the fallbacks of these fallbacks, and so on. */
export async function findFallbacks(
  tx: Transaction,
  organizationId: string,
  channelIds: readonly string[],
): Promise<string[]> {
  // UNION drops duplicates, so the recursion ends even if the fallbacks form a cycle.
  const rows = await tx.query<{ id: string }>(
    `with recursive fallback as (
       select fallback_channel_id as id from channel where organization_id = $1 and id = any($2::uuid[])
       union
       select c.fallback_channel_id from channel c join fallback on c.id = fallback.id where c.organization_id = $1
     )
     select id from fallback where id is not null`,
    [organizationId, channelIds],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns enabled channels for an alert about a broken channel. Excludes the types `exceptTypes`. Default channels for
 * new monitors come first.
 */
export async function findOtherChannels(
  tx: Transaction,
  {
    organizationId,
    exceptId,
    exceptTypes,
    limit,
  }: {
    organizationId: string;
    exceptId: string;
    exceptTypes: readonly string[];
    limit: number;
  },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from channel
     where organization_id = $1 and id <> $2 and enabled and broken_at is null and deleted_at is null and type <> all($3)
     order by default_for_new_monitors desc, id limit $4`,
    [organizationId, exceptId, exceptTypes, limit],
  );
  return rows.map(({ id }) => id);
}
