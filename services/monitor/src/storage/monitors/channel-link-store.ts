import type { Transaction } from '@tocsin/database';
import type { Tables } from '../tables.ts';

/**
 * Retention period of the ids of deleted channels, in milliseconds. Must exceed the duration of any request that links
 * a channel.
 */
const REMEMBERED_MS = 24 * 3_600_000;

/**
 * Locks the channel links of an organization until the transaction ends. Linking channels needs a shared lock, and
 * deleting a channel needs an exclusive lock.
 */
export async function lockChannelLinks(
  tx: Transaction,
  organizationId: string,
  mode: 'shared' | 'exclusive',
): Promise<void> {
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await tx.query(`select ${lock}(hashtextextended('channel links ' || $1, 0))`, [organizationId]);
}

/** Returns the ids of channels that were deleted recently. */
export async function findDeletedChannels(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query<Pick<Tables['deleted_channel'], 'channel_id'>>(
    'select channel_id from deleted_channel where organization_id = $1 and channel_id::text = any($2)',
    [organizationId, ids],
  );
  return new Set(rows.map((row) => row.channel_id));
}

export async function recordDeletedChannel(
  tx: Transaction,
  { organizationId, channelId, now }: { organizationId: string; channelId: string; now: Date },
): Promise<void> {
  await tx.query('delete from deleted_channel where organization_id = $1 and deleted_at < $2', [
    organizationId,
    new Date(now.getTime() - REMEMBERED_MS),
  ]);
  await tx.query(
    'insert into deleted_channel (channel_id, organization_id, deleted_at) values ($1, $2, $3) on conflict do nothing',
    [channelId, organizationId, now],
  );
}

export async function recordBrokenChannel(
  tx: Transaction,
  { organizationId, channelId }: { organizationId: string; channelId: string },
): Promise<void> {
  await tx.query('insert into broken_channel (channel_id, organization_id) values ($1, $2) on conflict do nothing', [
    channelId,
    organizationId,
  ]);
}

export async function removeBrokenChannel(
  tx: Transaction,
  { organizationId, channelId }: { organizationId: string; channelId: string },
): Promise<void> {
  await tx.query('delete from broken_channel where channel_id = $1 and organization_id = $2', [
    channelId,
    organizationId,
  ]);
}

/** Returns which of the channels are broken. */
export async function findBrokenChannels(
  tx: Transaction,
  organizationId: string,
  channelIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (channelIds.length === 0) return new Set();
  const rows = await tx.query<Pick<Tables['broken_channel'], 'channel_id'>>(
    'select channel_id from broken_channel where organization_id = $1 and channel_id = any($2::uuid[])',
    [organizationId, channelIds],
  );
  return new Set(rows.map((row) => row.channel_id));
}
