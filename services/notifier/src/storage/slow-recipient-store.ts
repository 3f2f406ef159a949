import type { Transaction } from '@tocsin/database';

/** Records the time of a recipient's timeout, unless an earlier timeout is recorded. */
export async function markSlow(
  tx: Transaction,
  { recipientId, organizationId, now }: { recipientId: string; organizationId: string; now: Date },
): Promise<void> {
  await tx.query('insert into slow_recipient values ($1, $2, $3) on conflict do nothing', [
    recipientId,
    organizationId,
    now,
  ]);
}

/** Records that a recipient responded in time. */
export async function clearSlow(tx: Transaction, organizationId: string, recipientId: string): Promise<void> {
  await tx.query('delete from slow_recipient where recipient_id = $1 and organization_id = $2', [
    recipientId,
    organizationId,
  ]);
}
