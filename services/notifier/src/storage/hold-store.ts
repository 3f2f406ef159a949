import type { Transaction } from '@tocsin/database';
import { HOLD_REASONS, type Hold, type HoldReason } from '../domain/hold-back.ts';
import { PAGERS } from '../domain/incident.ts';
import type { MessageHour } from '../domain/message-limit.ts';
import { WAKE_CHANNEL_SQL } from './insert-deliveries.ts';
import type { Tables } from './tables.ts';

interface ChannelKey {
  readonly id: string;
  readonly organizationId: string;
}

/** Existing holds that determine whether the next alert about a monitor is held back. */
export interface Holds {
  /** Holds because of the quiet hours or the limit of a channel, by channel id. */
  readonly waiting: ReadonlyMap<string, Hold>;
  /** Time at which the held-back changes of the flapping monitor are due, by channel id. */
  readonly flapping: ReadonlyMap<string, Date>;
}

/**
 * Returns when held-back alerts of the given channels are due. For each channel, there can be two times: one for the
 * alerts that are held back because the monitor is flapping, and one for all alerts that are held back for other
 * reasons. If alerts of a kind are due at different times, the latest time is returned.
 */
export async function findHolds(tx: Transaction, channelIds: readonly string[], monitorId: string): Promise<Holds> {
  if (channelIds.length === 0) return { waiting: new Map(), flapping: new Map() };
  const rows = await tx.query<{ channel_id: string; hold_reason: string; hold_until: Date }>(
    `select distinct on (channel_id, hold_reason = 'flapping') channel_id, hold_reason, hold_until from delivery
     where channel_id = any($1::uuid[]) and hold_until is not null
       and (hold_reason <> 'flapping' or resource_id = $2)
     order by channel_id, hold_reason = 'flapping', hold_until desc`,
    [channelIds, monitorId],
  );
  const holds = rows.map((row) => ({
    channelId: row.channel_id,
    reason: reasonOf(row.hold_reason),
    until: row.hold_until,
  }));
  return {
    waiting: new Map(
      holds
        .filter(({ reason }) => reason !== 'flapping')
        .map(({ channelId, reason, until }) => [channelId, { reason, until }]),
    ),
    flapping: new Map(
      holds.filter(({ reason }) => reason === 'flapping').map(({ channelId, until }) => [channelId, until]),
    ),
  };
}

function reasonOf(text: string): HoldReason {
  const found = HOLD_REASONS.find((reason) => reason === text);
  if (!found) throw new Error(`a stored delivery is held back for the unknown reason "${text}"`);
  return found;
}

/** Postpones the held-back changes of a flapping monitor that changed again. */
export function postponeFlapping(
  tx: Transaction,
  { monitorId, organizationId }: { monitorId: string; organizationId: string },
  { until, error }: { until: Date; error: string },
): void {
  tx.send(
    `update delivery set hold_until = $3, last_error = $4
     where organization_id = $1 and resource_id = $2 and hold_reason = 'flapping' and hold_until < $3`,
    [organizationId, monitorId, until, error],
  );
}

/**
 * Removes a flapping monitor's deliveries to the given channels from their storm (many monitors changing at once), and
 * holds them back because of flapping. Returns the channels that had such deliveries. The caller must hold the lock on
 * the organization's alerts.
 */
export async function leaveStorm(
  tx: Transaction,
  {
    monitorId,
    organizationId,
    channelIds,
  }: { monitorId: string; organizationId: string; channelIds: readonly string[] },
  { until, error }: { until: Date; error: string },
): Promise<Set<string>> {
  const rows = await tx.query<{ channel_id: string }>(
    `update delivery set storm_id = null, hold_reason = 'flapping', hold_until = $3, last_error = $4
     where organization_id = $1 and resource_id = $2 and storm_id is not null and channel_id = any($5::uuid[])
     returning channel_id`,
    [organizationId, monitorId, until, error, channelIds],
  );
  return new Set(rows.map((row) => row.channel_id));
}

/** Returns the times of a monitor's latest changes, newest first. */
export async function latestChanges(
  tx: Transaction,
  { organizationId, monitorId }: { organizationId: string; monitorId: string },
  kinds: readonly string[],
  limit: number,
): Promise<Date[]> {
  const rows = await tx.query<Pick<Tables['alert'], 'occurred_at'>>(
    `select occurred_at from alert where organization_id = $1 and monitor_id = $2 and kind = any($3)
     order by occurred_at desc limit $4`,
    [organizationId, monitorId, kinds, limit],
  );
  return rows.map((row) => row.occurred_at);
}

/**
 * Returns the start of each channel's current hour and the number of messages sent in it. Locks the rows until the
 * transaction ends. The ids must be sorted to prevent deadlocks of concurrent calls.
 */
export async function lockHours(
  tx: Transaction,
  { organizationId, now }: { organizationId: string; now: Date },
  sortedIds: readonly string[],
): Promise<Map<string, MessageHour>> {
  if (sortedIds.length === 0) return new Map();
  const rows = await tx.query<Tables['channel_hour']>(
    `insert into channel_hour select id, $1, $2, 0 from unnest($3::uuid[]) as t(id)
     on conflict (channel_id) do update set channel_id = excluded.channel_id returning *`,
    [organizationId, now, sortedIds],
  );
  return hoursOf(rows);
}

/**
 * Does the same as lockHours() for those of the given channels that get alerts and have a limit. If one of the channels
 * is broken, locks none and returns an empty map: the alert is then sent to fallbacks, too, and all rows must be locked
 * in the order of their ids.
 */
export async function lockHoursOfHealthy(
  tx: Transaction,
  { organizationId, now }: { organizationId: string; now: Date },
  ids: readonly string[],
): Promise<Map<string, MessageHour>> {
  const rows = await tx.query<Tables['channel_hour']>(
    `insert into channel_hour select c.id, $1, $2, 0 from channel c
     where c.organization_id = $1 and c.id = any($3::uuid[]) and c.enabled and c.deleted_at is null and c.type <> all($4)
       and not exists (
         select from channel b where b.organization_id = $1 and b.id = any($3::uuid[]) and b.broken_at is not null
       )
     order by c.id
     on conflict (channel_id) do update set channel_id = excluded.channel_id returning *`,
    [organizationId, now, ids, [...PAGERS]],
  );
  return hoursOf(rows);
}

function hoursOf(rows: readonly Tables['channel_hour'][]): Map<string, MessageHour> {
  return new Map(rows.map((row) => [row.channel_id, { startedAt: row.started_at, messages: row.messages }]));
}

export function saveHours(tx: Transaction, hours: ReadonlyMap<string, MessageHour>): void {
  const entries = [...hours];
  if (entries.length === 0) return;
  tx.send(
    `update channel_hour h set started_at = t.started_at, messages = t.messages
     from unnest($1::uuid[], $2::timestamptz[], $3::integer[]) as t(id, started_at, messages) where h.channel_id = t.id`,
    [
      entries.map(([id]) => id),
      entries.map(([, { startedAt }]) => startedAt),
      entries.map(([, { messages }]) => messages),
    ],
  );
}

/** SQL expression for the time at which channelsToSumUp() finds a channel. */
export const HELD_BACK_DUE = '(select min(hold_until) from delivery)';

/** Returns the channels with due held-back deliveries. */
export async function channelsToSumUp(tx: Transaction, now: Date, limit: number): Promise<ChannelKey[]> {
  const rows = await tx.query<{ channel_id: string; organization_id: string }>(
    `select distinct channel_id, organization_id from delivery where hold_until <= $1 order by channel_id limit $2`,
    [now, limit],
  );
  return rows.map((row) => ({ id: row.channel_id, organizationId: row.organization_id }));
}

/** Makes the deliveries due that are held back because of a channel's quiet hours or its limit. */
export async function makeHeldBackDue(tx: Transaction, { id, organizationId }: ChannelKey, now: Date): Promise<void> {
  await tx.query(
    `update delivery set hold_until = $3
     where channel_id = $1 and organization_id = $2 and hold_reason <> 'flapping' and hold_until > $3`,
    [id, organizationId, now],
  );
}

/** Holds deliveries back until `hold.until`. Deliveries that are already held back get the new reason and time. */
export async function holdBack(
  tx: Transaction,
  ids: readonly string[],
  { hold, error, now }: { hold: Hold; error: string; now: Date },
): Promise<void> {
  await tx.query(
    `update delivery set status = 'grouped', storm_id = null, hold_reason = $2, hold_until = $3, last_error = $4,
       finished_at = $5
     where id = any($1::uuid[])`,
    [ids, hold.reason, hold.until, error, now],
  );
}

/** Clears the reason and time of held-back deliveries whose alerts are listed in a combined message. */
export async function markSummedUp(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query(
    'update delivery set hold_reason = null, hold_until = null, last_error = null where id = any($1::uuid[])',
    [ids],
  );
}

/** Stops holding back deliveries to a broken or disabled channel. */
export async function endHoldingBack(
  tx: Transaction,
  ids: readonly string[],
  { status, error, now }: { status: 'held' | 'dropped'; error: string; now: Date },
): Promise<void> {
  await tx.query(
    `update delivery set status = $2, hold_reason = null, hold_until = null, last_error = $3, finished_at = $4
     where id = any($1::uuid[])`,
    [ids, status, error, now],
  );
}

/** Makes a grouped delivery due as a separate message. Used if there are no other deliveries to combine it with. */
export async function releaseAlone(
  tx: Transaction,
  id: string,
  { late, heldBackUntil, now }: { late: boolean; heldBackUntil: Date | undefined; now: Date },
): Promise<void> {
  await tx.query(
    `update delivery set status = 'pending', storm_id = null, hold_reason = null, hold_until = null, last_error = null,
       late = $3, due_since = $2, held_back_until = $4, next_attempt_at = $2, finished_at = null
     where id = $1 and status = 'grouped'`,
    [id, now, late, heldBackUntil ?? null],
  );
  await tx.query(`select pg_notify(${WAKE_CHANNEL_SQL}, '')`);
}
