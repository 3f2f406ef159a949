import type { Transaction } from '@tocsin/database';
import { v7 } from 'uuid';
import type { Attempt } from '../domain/delivery.ts';
import type { OutcomeKind } from '../domain/outcome.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';

type Key = Pick<ClaimedDelivery, 'id' | 'organizationId'>;

/** Notes an attempt; nothing when the delivery is gone, because what it goes to is. */
export async function insertAttempt(
  tx: Transaction,
  { id, organizationId }: Key,
  { at, outcome, httpStatus, durationMs, error }: Attempt & { readonly outcome: OutcomeKind },
): Promise<void> {
  await tx.query(
    `insert into delivery_attempt (id, delivery_id, organization_id, at, outcome, http_status, duration_ms, error)
     select $1, id, organization_id, $4, $5, $6, $7, $8 from delivery where id = $2 and organization_id = $3`,
    [v7(), id, organizationId, at, outcome, httpStatus ?? null, Math.round(durationMs), error ?? null],
  );
}

/** The receiver has it: true whatever holds the lease by now, or gave it up. Returns whether that is news. */
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

/** Puts a delivery off; false when somebody else holds it by now, whose attempt counts instead. */
export async function putOff(
  tx: Transaction,
  { id, organizationId, attempts, leasedUntil }: ClaimedDelivery,
  { at, error, counts, reached }: { at: Date; error: string; counts: boolean; reached: readonly string[] | undefined },
): Promise<boolean> {
  const rows = await tx.query(
    `update delivery set attempts = $4, next_attempt_at = $5, leased_until = null, last_error = $6,
       reached = coalesce($7, reached)
     where id = $1 and organization_id = $2 and status = 'pending' and leased_until = $3 returning id`,
    [id, organizationId, leasedUntil, counts ? attempts + 1 : attempts, at, error, reached ?? null],
  );
  return rows.length > 0;
}

/** Ends a delivery that was not sent; false when somebody else holds it by now. */
export async function endUnsent(
  tx: Transaction,
  { id, organizationId, leasedUntil }: ClaimedDelivery,
  {
    status,
    attempts,
    error,
    now,
  }: { status: 'failed' | 'dropped' | 'held'; attempts: number; error: string; now: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `update delivery set status = $4, attempts = $5, leased_until = null, last_error = $6, finished_at = $7
     where id = $1 and organization_id = $2 and status = 'pending' and leased_until = $3 returning id`,
    [id, organizationId, leasedUntil, status, attempts, error, now],
  );
  return rows.length > 0;
}

/** Deletes the deliveries of a subscription that wait and are not leased. */
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

/** How many deliveries of all organizations are waiting or under way. */
export async function countPending(tx: Transaction): Promise<number> {
  const rows = await tx.query<{ count: number }>(`select count(*) as count from delivery where status = 'pending'`);
  return rows[0]?.count ?? 0;
}
