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

/**
 * Deletes the recipients that have no waiting delivery, and those whose timeout was recorded before the given time.
 * Otherwise the rows of deleted channels would remain. Needs a transaction across organizations.
 */
export async function deleteOldSlow(tx: Transaction, before: Date): Promise<void> {
  await tx.query(
    `delete from slow_recipient where recipient_id in (
       select s.recipient_id from slow_recipient s
       where s.since < $1 or not exists (select from delivery_head h where h.recipient_id = s.recipient_id)
       for update skip locked
     )`,
    [before],
  );
}
