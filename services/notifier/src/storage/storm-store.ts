import type { Transaction } from '@tocsin/database';
import { CHANGE_KINDS } from '../domain/storm.ts';
import type { Tables } from './tables.ts';

export interface StormKey {
  readonly id: string;
  readonly organizationId: string;
}

export interface Storm extends StormKey {
  readonly startedAt: Date;
  /** Number of messages sent so far. */
  readonly messages: number;
}

/**
 * Locks the alerts of an organization until the transaction ends. A concurrent transaction waits for the lock, and then
 * counts the alerts that this transaction inserted.
 */
export function lockAlertsOf(tx: Transaction, organizationId: string): void {
  tx.send('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`storm ${organizationId}`]);
}

/**
 * Returns the running storm of an organization, and whether at least `changes` of its monitors changed at `since` or
 * later, each change counted. This is cheaper than countChanged(), which an organization with many changes would pay
 * for each of them.
 */
export async function findStormOf(
  tx: Transaction,
  organizationId: string,
  { since, changes }: { since: Date; changes: number },
): Promise<{ running: string | undefined; areEnough: boolean }> {
  const [row] = await tx.query<{ running: string | null; are_enough: boolean }>(
    `select (select id from storm where organization_id = $1) as running, exists (
       select from alert where organization_id = $1 and occurred_at >= $2 and kind = any($3) offset $4
     ) as are_enough`,
    [organizationId, since, CHANGE_KINDS, changes - 1],
  );
  return { running: row?.running ?? undefined, areEnough: row?.are_enough ?? false };
}

/**
 * Returns the number of an organization's monitors that changed at `since` or later, and the time of the first of these
 * changes. Ignores flapping monitors whose changes are held back.
 */
export async function countChanged(
  tx: Transaction,
  organizationId: string,
  since: Date,
): Promise<{ monitors: number; first: Date | undefined }> {
  const [row] = await tx.query<{ monitors: number; first: Date | null }>(
    `select count(distinct monitor_id)::integer as monitors, min(occurred_at) as first from alert a
     where organization_id = $1 and occurred_at >= $2 and kind = any($3) and not exists (
       select from delivery d
       where d.organization_id = $1 and d.resource_id = a.monitor_id and d.hold_until is not null
         and d.hold_reason = 'flapping'
     )`,
    [organizationId, since, CHANGE_KINDS],
  );
  return { monitors: row?.monitors ?? 0, first: row?.first ?? undefined };
}

export function insertStorm(
  tx: Transaction,
  { id, organizationId, startedAt, dueAt }: { id: string; organizationId: string; startedAt: Date; dueAt: Date },
): void {
  tx.send('insert into storm (id, organization_id, started_at, due_at) values ($1, $2, $3, $4)', [
    id,
    organizationId,
    startedAt,
    dueAt,
  ]);
}

/**
 * Adds pending deliveries to a storm, so that the next message about the storm lists their monitors. Includes only
 * alerts about changes at `since` or later. Leaves out deliveries to pagers, and deliveries that were attempted or are
 * being attempted.
 */
export function groupWaiting(
  tx: Transaction,
  { stormId, organizationId, since }: { stormId: string; organizationId: string; since: Date },
  pagers: readonly string[],
): void {
  tx.send(
    `update delivery d set status = 'grouped', storm_id = $1, finished_at = d.created_at
     from alert a, channel c
     where a.id = d.alert_id and c.id = d.channel_id and a.organization_id = $2 and a.occurred_at >= $3
       and a.kind = any($4) and c.type <> all($5) and d.status = 'pending' and d.attempts = 0 and d.leased_until is null`,
    [stormId, organizationId, since, CHANGE_KINDS, pagers],
  );
}

/** SQL expression for the time at which a storm has a due message. */
export const STORM_DUE = '(select min(due_at) from storm)';

/** Returns storms with a due message, except those that another transaction has locked. */
export async function findDueStorms(tx: Transaction, now: Date, limit: number): Promise<StormKey[]> {
  const rows = await tx.query<Pick<Tables['storm'], 'id' | 'organization_id'>>(
    'select id, organization_id from storm where due_at <= $1 order by due_at limit $2 for update skip locked',
    [now, limit],
  );
  return rows.map((row) => ({ id: row.id, organizationId: row.organization_id }));
}

/**
 * Locks a storm until the transaction ends. Returns undefined if its message is not due or another transaction has
 * locked it.
 */
export async function lockDueStorm(
  tx: Transaction,
  { id, organizationId }: StormKey,
  now: Date,
): Promise<Storm | undefined> {
  const rows = await tx.query<Pick<Tables['storm'], 'started_at' | 'messages'>>(
    `select started_at, messages from storm where organization_id = $1 and id = $2 and due_at <= $3
     for update skip locked`,
    [organizationId, id, now],
  );
  return rows.map((row) => ({ id, organizationId, startedAt: row.started_at, messages: row.messages }))[0];
}

/** Postpones the message of a storm, unless it is no longer due. */
export async function postponeStorm(
  tx: Transaction,
  { id, organizationId }: StormKey,
  { now, until }: { now: Date; until: Date },
): Promise<void> {
  await tx.query('update storm set due_at = $4 where organization_id = $1 and id = $2 and due_at <= $3', [
    organizationId,
    id,
    now,
    until,
  ]);
}

export async function putOffStorm(tx: Transaction, storm: Storm, dueAt: Date): Promise<void> {
  await tx.query('update storm set due_at = $2, messages = messages + 1 where id = $1', [storm.id, dueAt]);
}

export async function deleteStorm(tx: Transaction, { id }: Storm): Promise<void> {
  await tx.query('delete from storm where id = $1', [id]);
}

/** Removes grouped deliveries from their storm after a message that lists their monitors was inserted. */
export async function markNamed(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.query('update delivery set storm_id = null where id = any($1::uuid[])', [ids]);
}
