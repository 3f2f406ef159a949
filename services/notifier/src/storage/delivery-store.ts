import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import { type Attempt, MAX_KEPT_ATTEMPTS } from '../domain/delivery.ts';
import type { OutcomeKind } from '../domain/outcome.ts';
import type { ClaimedDelivery } from './delivery-rows.ts';
import { WAKE_CHANNEL_SQL } from './insert-deliveries.ts';

type Key = Pick<ClaimedDelivery, 'id' | 'organizationId'>;

/**
 * Part of a statement that inserts an attempt for each row of `found`: deletes the older attempts of these deliveries
 * that are too many with the new one.
 */
const DELETE_SURPLUS = `delete from delivery_attempt where id in (
    select surplus.id from found cross join lateral (
      select id from delivery_attempt where delivery_id = found.id
      order by at desc, id desc offset ${MAX_KEPT_ATTEMPTS - 1}
    ) surplus
  )`;

/**
 * Inserts an attempt, and keeps only the newest attempts of the delivery. Does nothing if the delivery was deleted
 * together with its recipient.
 */
export async function insertAttempt(
  tx: Transaction,
  { id, organizationId }: Key,
  { at, outcome, httpStatus, durationMs, error, response }: Attempt & { readonly outcome: OutcomeKind },
): Promise<void> {
  // Lock the delivery before its attempts. recordSent() uses the same order, so the two cannot deadlock.
  await tx.query(
    `with found as (
       select id, organization_id from delivery where id = $2 and organization_id = $3 for update
     ), surplus as (${DELETE_SURPLUS})
     insert into delivery_attempt (id, delivery_id, organization_id, at, outcome, http_status, duration_ms, error, response)
     select $1, id, organization_id, $4, $5, $6, $7, $8, $9 from found`,
    [
      v7(),
      id,
      organizationId,
      at,
      outcome,
      httpStatus ?? null,
      Math.round(durationMs),
      error ?? null,
      response ?? null,
    ],
  );
}

/** Marks a delivery as sent, even if it is leased or was given up. Returns false if it was already marked as sent. */
export async function markSent(
  tx: Transaction,
  { id, organizationId, attempts }: Key & { attempts: number },
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(
    `update delivery set status = 'sent', late = late or status = 'held', attempts = $3, leased_until = null, last_error = null, finished_at = $4
     where id = $1 and organization_id = $2 and status <> 'sent' returning id`,
    [id, organizationId, attempts + 1, now],
  );
  return rows.length > 0;
}

/** A successful attempt at a claimed delivery. */
export interface SentDelivery {
  readonly claimed: Pick<ClaimedDelivery, 'id' | 'organizationId' | 'attempts' | 'slow'> & {
    readonly to: Pick<ClaimedDelivery['to'], 'id'>;
  };
  readonly attempt: Attempt;
}

/**
 * Inserts successful attempts, keeps only the newest attempts of their deliveries, and marks the deliveries as sent,
 * regardless of leases. Skips deliveries that were deleted together with their recipients. Resets the failure times of
 * the channels, and no longer treats the recipients as slow, except those whose rows another transaction has locked. A
 * transaction that breaks a channel may take long, and must not delay the successes of other organizations.
 */
export async function recordSent(tx: Transaction, sent: readonly SentDelivery[], now: Date): Promise<void> {
  const column = <Value>(read: (sent: SentDelivery) => Value) => sent.map(read);
  // Lock in the order of ids. Another replica may lock the same deliveries, and different orders could cause a
  // deadlock.
  await tx.query(
    `with made as (
       select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::timestamptz[], $6::integer[],
         $7::integer[], $8::text[])
         as t(attempt_id, delivery_id, organization_id, attempts, at, http_status, duration_ms, response)
     ), found as (
       select d.id from delivery d join made on made.delivery_id = d.id and made.organization_id = d.organization_id
       order by d.id for update of d
     ), surplus as (${DELETE_SURPLUS}), attempt as (
       insert into delivery_attempt (id, delivery_id, organization_id, at, outcome, http_status, duration_ms, response)
       select attempt_id, delivery_id, organization_id, at, 'delivered', http_status, duration_ms, response
       from made join found on found.id = made.delivery_id
     )
     update delivery d set status = 'sent', late = d.late or d.status = 'held', attempts = made.attempts,
       leased_until = null, last_error = null, finished_at = $9
     from made join found on found.id = made.delivery_id where d.id = made.delivery_id and d.status <> 'sent'`,
    [
      column(() => v7()),
      column(({ claimed }) => claimed.id),
      column(({ claimed }) => claimed.organizationId),
      column(({ claimed }) => claimed.attempts + 1),
      column(({ attempt }) => attempt.at),
      column(({ attempt }) => attempt.httpStatus ?? null),
      column(({ attempt }) => Math.round(attempt.durationMs)),
      column(({ attempt }) => attempt.response ?? null),
      now,
    ],
  );
  await tx.query(
    `update channel set failing_since = null where id in (
       select id from channel where failing_since is not null and id in (
         select channel_id from delivery where id = any($1::uuid[]) and status = 'sent'
       ) for no key update skip locked
     )`,
    [column(({ claimed }) => claimed.id)],
  );
  const slow = sent.flatMap(({ claimed }) => (claimed.slow ? [claimed.to.id] : []));
  if (slow.length === 0) return;
  await tx.query(
    `delete from slow_recipient where recipient_id in (
       select recipient_id from slow_recipient where recipient_id = any($1::uuid[]) for update skip locked
     )`,
    [slow],
  );
}

/** Postpones a delivery. Returns false if another worker holds the lease, because then that worker's attempt counts. */
export async function putOff(
  tx: Transaction,
  { id, organizationId, attempts, leasedUntil }: ClaimedDelivery,
  {
    at,
    error,
    counts,
    reached,
    stepsAside = false,
  }: { at: Date; error: string; counts: boolean; reached: readonly string[] | undefined; stepsAside?: boolean },
): Promise<boolean> {
  const rows = await tx.query(
    `update delivery set attempts = $4, next_attempt_at = $5, leased_until = null, last_error = $6,
       reached = coalesce($7, reached), order_id = case when $8 then id else order_id end
     where id = $1 and organization_id = $2 and status = 'pending' and leased_until = $3 returning id`,
    [id, organizationId, leasedUntil, counts ? attempts + 1 : attempts, at, error, reached ?? null, stepsAside],
  );
  return rows.length > 0;
}

/** Ends a delivery that was not sent. Returns false if another worker holds the lease. */
export async function endUnsent(
  tx: Transaction,
  { id, organizationId, leasedUntil }: ClaimedDelivery,
  {
    status,
    attempts,
    error,
    now,
  }: { status: 'failed' | 'dropped' | 'held' | 'grouped'; attempts: number; error: string; now: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `update delivery set status = $4, attempts = $5, leased_until = null, last_error = $6, finished_at = $7
     where id = $1 and organization_id = $2 and status = 'pending' and leased_until = $3 returning id`,
    [id, organizationId, leasedUntil, status, attempts, error, now],
  );
  return rows.length > 0;
}

/**
 * Ends the lease of a delivery. If it is pending, it is due now. Does nothing if another worker holds the lease. Wakes
 * the workers when the transaction commits.
 */
export async function endLease(
  tx: Transaction,
  { id, organizationId, leasedUntil }: ClaimedDelivery,
  now: Date,
): Promise<void> {
  const rows = await tx.query<{ status: string }>(
    `update delivery set leased_until = null, next_attempt_at = case when status = 'pending' then $4 else next_attempt_at end
     where id = $1 and organization_id = $2 and leased_until = $3 returning status`,
    [id, organizationId, leasedUntil, now],
  );
  if (rows.some(({ status }) => status === 'pending')) await tx.query(`select pg_notify(${WAKE_CHANNEL_SQL}, '')`);
}

/** Marks the pending deliveries of a subscription as dropped, except leased ones. */
export async function dropWaiting(
  tx: Transaction,
  { subscriptionId, organizationId }: { subscriptionId: string; organizationId: string },
  { error, now }: { error: string; now: Date },
): Promise<void> {
  await tx.query(
    `update delivery set status = 'dropped', last_error = $3, finished_at = $4
     where subscription_id = $1 and organization_id = $2 and status = 'pending'
       and (leased_until is null or leased_until <= $4)`,
    [subscriptionId, organizationId, error, now],
  );
}

/** Number of a subscription's latest deliveries that tookOthersSince() searches. */
const RECENT = 1_000;

/**
 * Returns whether a subscription has accepted another message since the first attempt at the delivery `id` that is
 * kept.
 */
export async function tookOthersSince(
  tx: Transaction,
  { id, organizationId }: Key,
  subscriptionId: string,
): Promise<boolean> {
  const rows = await tx.query(
    `select from (
       select id, status, finished_at from delivery where subscription_id = $2 and organization_id = $3
       order by id desc limit $4
     ) recent
     where status = 'sent' and id <> $1
       and finished_at >= (select min(at) from delivery_attempt where delivery_id = $1) limit 1`,
    [id, subscriptionId, organizationId, RECENT],
  );
  return rows.length > 0;
}

/**
 * Returns the ids of a subscription's failed and dropped deliveries that were inserted at `since` or later, oldest
 * first.
 */
export async function findUnsentMessages(
  tx: Transaction,
  { organizationId, subscriptionId }: { organizationId: string; subscriptionId: string },
  { since, limit }: { since: Date; limit: number },
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select d.id from delivery d join message m on m.id = d.message_id
     where d.organization_id = $1 and d.subscription_id = $2 and d.status in ('failed', 'dropped')
       and d.created_at >= $3 and m.kind <> 'webhook.test'
     order by d.position limit $4`,
    [organizationId, subscriptionId, since, limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns the number of deliveries of all organizations that are waiting or running, without those to subscribers of
 * status pages.
 */
export async function countPending(tx: Transaction): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    `select count(*) as count from delivery where status = 'pending' and subscriber_id is null`,
  );
  return rows[0]?.count ?? 0;
}
