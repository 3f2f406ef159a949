import type { Transaction } from '@tocsin/database';
import type { Tables } from './tables.ts';

export async function insertClient(
  tx: Transaction,
  { id, metadata, createdAt }: { id: string; metadata: Readonly<Record<string, unknown>>; createdAt: Date },
): Promise<void> {
  await tx.query('insert into oauth_client (id, metadata, created_at) values ($1, $2, $3)', [
    id,
    JSON.stringify(metadata),
    createdAt,
  ]);
}

/** Returns the metadata of a registered client. */
export async function findClient(tx: Transaction, id: string): Promise<Record<string, unknown> | undefined> {
  const sql = 'select metadata from oauth_client where id = $1';
  const [row] = await tx.query<Pick<Tables['oauth_client'], 'metadata'>>(sql, [id]);
  // The cast is safe, because only insertClient() writes this column.
  return row && (JSON.parse(row.metadata) as Record<string, unknown>);
}

/** Records that a user granted access to a client. Does nothing for clients that are not registered. */
export async function recordClientUse(tx: Transaction, id: string, now: Date): Promise<void> {
  await tx.query('update oauth_client set used_at = $2 where id = $1', [id, now]);
}

/** Of the clients to which no user has granted access, deletes all but the newest `kept`. */
export async function deleteSurplusClients(tx: Transaction, kept: number): Promise<void> {
  await tx.query(
    `delete from oauth_client where id in (
       select id from oauth_client where used_at is null order by created_at desc, id offset $1
     )`,
    [kept],
  );
}

/**
 * Deletes up to `limit` unused clients, and returns their number. A client is unused if it was registered before
 * `unusedBefore` and no user has ever granted it access. A client is also unused if it has no grants now and a user
 * last granted it access before `usedBefore`.
 */
export async function deleteUnusedClients(
  tx: Transaction,
  { unusedBefore, usedBefore, limit }: { unusedBefore: Date; usedBefore: Date; limit: number },
): Promise<number> {
  const rows = await tx.query(
    `delete from oauth_client where id in (
       select id from oauth_client c where used_at is null and created_at < $1
         or used_at < $2 and not exists (select from oauth_grant g where g.client_id = c.id)
       limit $3
     ) returning id`,
    [unusedBefore, usedBefore, limit],
  );
  return rows.length;
}
