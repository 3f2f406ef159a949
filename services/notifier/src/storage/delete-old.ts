import type { Transaction } from '@tocsin/database';

/**
 * Deletes a batch of deliveries that ended, or were created and then held, before the given time. Also deletes alerts,
 * messages, emails and notices that are older than that time and have no delivery. Returns the number of deleted
 * deliveries.
 */
export async function deleteOld(tx: Transaction, before: Date, limit: number): Promise<number> {
  const deleted = await tx.query(
    `delete from delivery where id in (
       select id from delivery where status <> 'pending' and coalesce(finished_at, created_at) < $1
       order by coalesce(finished_at, created_at) limit $2
     ) returning id`,
    [before, limit],
  );
  await tx.query(
    `delete from alert where id in (
       select id from alert a where occurred_at < $1 and not exists (select from delivery d where d.alert_id = a.id) limit $2
     )`,
    [before, limit],
  );
  await tx.query(
    `delete from message where id in (
       select id from message m where occurred_at < $1 and not exists (select from delivery d where d.message_id = m.id)
       limit $2
     )`,
    [before, limit],
  );
  await tx.query(
    `delete from owner_mail where id in (
       select id from owner_mail o where occurred_at < $1 and not exists (select from delivery d where d.mail_id = o.id)
       limit $2
     )`,
    [before, limit],
  );
  await tx.query(
    `delete from page_notice where id in (
       select id from page_notice n where occurred_at < $1
         and not exists (select from delivery d where d.page_notice_id = n.id)
       limit $2
     )`,
    [before, limit],
  );
  return deleted.length;
}

/** Deletes a batch of deliveries to subscribers that ended before the given time, and returns their number. */
export async function deleteOldNotices(tx: Transaction, before: Date, limit: number): Promise<number> {
  const deleted = await tx.query(
    `delete from delivery where id in (
       select id from delivery
       where subscriber_id is not null and status <> 'pending' and finished_at < $1 order by finished_at limit $2
     ) returning id`,
    [before, limit],
  );
  return deleted.length;
}
