import type { Transaction } from '@tocsin/database';
import type { User } from '../domain/session.ts';
import type { Tables } from './tables.ts';

export interface NewSignInLink {
  readonly id: string;
  readonly userId: string;
  readonly secretHash: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Whether the operator created the link. */
  readonly byOperator: boolean;
}

export async function insertSignInLink(tx: Transaction, link: NewSignInLink): Promise<void> {
  await tx.query(
    `insert into sign_in_link (id, user_id, secret_hash, created_at, expires_at, by_operator)
     values ($1, $2, $3, $4, $5, $6)`,
    [link.id, link.userId, link.secretHash, link.createdAt, link.expiresAt, link.byOperator],
  );
}

/** Deletes all but the `kept` newest links of a user. */
export async function deleteSurplusLinks(tx: Transaction, userId: string, kept: number): Promise<void> {
  await tx.query(
    `delete from sign_in_link where id in (
       select id from sign_in_link where user_id = $1 order by created_at desc, id desc offset $2
     )`,
    [userId, kept],
  );
}

/** Returns the email address for which a link is valid, or undefined if the link is unknown, used or expired. */
export async function findLinkEmail(tx: Transaction, secretHash: Buffer, now: Date): Promise<string | undefined> {
  const [row] = await tx.query<Pick<Tables['app_user'], 'email'>>(
    `select u.email from sign_in_link l join app_user u on u.id = l.user_id
     where l.secret_hash = $1 and l.expires_at > $2`,
    [secretHash, now],
  );
  return row?.email;
}

/**
 * Deletes a link, so that it can be used only once. Returns the user of the link and whether the operator created the
 * link, or undefined if the link is unknown, used or expired.
 */
export async function takeSignInLink(
  tx: Transaction,
  secretHash: Buffer,
  now: Date,
): Promise<{ user: User; byOperator: boolean } | undefined> {
  const [row] = await tx.query<
    Pick<Tables['sign_in_link'], 'user_id' | 'by_operator'> & Pick<Tables['app_user'], 'email'>
  >(
    `delete from sign_in_link l using app_user u where l.secret_hash = $1 and l.expires_at > $2 and u.id = l.user_id
     returning l.user_id, l.by_operator, u.email`,
    [secretHash, now],
  );
  return row && { user: { id: row.user_id, email: row.email }, byOperator: row.by_operator };
}

/** Deletes up to `limit` links that expired before a time, and returns the number of deleted links. */
export async function deleteExpiredLinks(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await tx.query(
    'delete from sign_in_link where id in (select id from sign_in_link where expires_at < $1 limit $2) returning id',
    [before, limit],
  );
  return rows.length;
}
