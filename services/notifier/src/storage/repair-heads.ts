import type { Transaction } from '@tocsin/database';
import type { Tables } from './tables.ts';

/**
 * Replaces those of the given rows of `delivery_head` whose delivery has ended or was deleted. Such a row remains if
 * two transactions end the two oldest deliveries of a pair of resource and recipient at the same time: neither of them
 * sees the other's change. Without the repair, no later delivery of the pair would be sent.
 */
export async function repairHeads(tx: Transaction, deliveryIds: readonly string[]): Promise<void> {
  const ended = await tx.query<Pick<Tables['delivery_head'], 'recipient_id' | 'resource_id'>>(
    `delete from delivery_head h where h.delivery_id = any($1::uuid[])
       and not exists (select from delivery d where d.id = h.delivery_id and d.status = 'pending')
     returning recipient_id, resource_id`,
    [deliveryIds],
  );
  if (ended.length === 0) return;
  await tx.query(
    `insert into delivery_head
     select oldest.* from unnest($1::uuid[], $2::uuid[]) as ended(recipient_id, resource_id) cross join lateral (
       select d.recipient_id, d.resource_id, d.organization_id, d.id, d.attempts, greatest(d.next_attempt_at, d.leased_until),
         d.subscriber_id is not null
       from delivery d
       where d.recipient_id = ended.recipient_id and d.resource_id = ended.resource_id and d.order_id is null and d.status = 'pending'
       order by d.position limit 1
     ) as oldest
     on conflict do nothing`,
    [ended.map((row) => row.recipient_id), ended.map((row) => row.resource_id)],
  );
}
