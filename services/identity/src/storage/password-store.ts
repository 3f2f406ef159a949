import type { Transaction } from '@tocsin/database';
import type { User } from '../domain/session.ts';

/** Returns the user with this email address, ignoring case, and the hash of the user's password, if there is one. */
export async function findUserWithPassword(
  tx: Transaction,
  email: string,
): Promise<(User & { passwordHash: string | undefined }) | undefined> {
  const [row] = await tx.query<{ id: string; email: string; hash: string | null }>(
    `select u.id, u.email, p.hash from app_user u left join user_password p on p.user_id = u.id
     where lower(u.email) = lower($1)`,
    [email],
  );
  return row && { id: row.id, email: row.email, passwordHash: row.hash ?? undefined };
}

/** Returns the hash of a user's password; undefined if the user has none. */
export async function findPasswordHash(tx: Transaction, userId: string): Promise<string | undefined> {
  const [row] = await tx.query<{ hash: string }>('select hash from user_password where user_id = $1', [userId]);
  return row?.hash;
}

export async function savePassword(tx: Transaction, userId: string, hash: string, changedAt: Date): Promise<void> {
  await tx.query(
    `insert into user_password (user_id, hash, changed_at) values ($1, $2, $3)
     on conflict (user_id) do update set hash = excluded.hash, changed_at = excluded.changed_at`,
    [userId, hash, changedAt],
  );
}

/** Deletes a user's password. */
export async function deletePassword(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from user_password where user_id = $1', [userId]);
}
