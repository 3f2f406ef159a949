import type { Transaction } from '@tocsin/database';

/**
 * Counts a test or a redelivery toward an hourly limit. `counted` is the id of a channel or subscription, or of the
 * organization for all of its channels and subscriptions. If the limit is reached, returns false and does not count the
 * attempt.
 */
export async function countManualAttempt(
  tx: Transaction,
  organizationId: string,
  { counted, hour, limit }: { counted: string; hour: Date; limit: number },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into manual_attempt_count as c values ($1, $2, $3, 1)
     on conflict (organization_id, counted, hour) do update set attempts = c.attempts + 1 where c.attempts < $4
     returning attempts`,
    [organizationId, counted, hour, limit],
  );
  return rows.length > 0;
}

/** Deletes the counts of hours that began before a time. */
export async function deleteManualAttemptCounts(tx: Transaction, before: Date): Promise<void> {
  await tx.query('delete from manual_attempt_count where hour < $1', [before]);
}
