import type { Transaction } from '@tocsin/database';
import type { Passkey } from '../domain/passkey.ts';
import type { User } from '../domain/session.ts';
import type { Tables } from './tables.ts';

/** A passkey with the data for verifying its signatures. */
export interface StoredPasskey {
  readonly id: string;
  readonly credentialId: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: number;
  readonly transports: readonly string[];
}

export async function insertPasskey(
  tx: Transaction,
  passkey: StoredPasskey & { readonly userId: string; readonly name: string; readonly createdAt: Date },
): Promise<void> {
  const { id, userId, name, credentialId, publicKey, counter, transports, createdAt } = passkey;
  await tx.query(
    `insert into passkey (id, user_id, name, credential_id, public_key, counter, transports, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, userId, name, credentialId, Buffer.from(publicKey), counter, [...transports], createdAt],
  );
}

/** Returns the passkeys of a user, oldest first. */
export async function listPasskeys(tx: Transaction, userId: string): Promise<(Passkey & StoredPasskey)[]> {
  const rows = await tx.query<Tables['passkey']>('select * from passkey where user_id = $1 order by created_at, id', [
    userId,
  ]);
  return rows.map((row) => ({
    ...toStored(row),
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  }));
}

/** Returns the passkey with this credential id and its user, and locks it; undefined if it does not exist. */
export async function lockPasskey(
  tx: Transaction,
  credentialId: string,
): Promise<{ passkey: StoredPasskey; user: User } | undefined> {
  const [row] = await tx.query<Tables['passkey'] & { email: string }>(
    `select p.*, u.email from passkey p join app_user u on u.id = p.user_id where p.credential_id = $1
     for update of p`,
    [credentialId],
  );
  return row && { passkey: toStored(row), user: { id: row.user_id, email: row.email } };
}

export async function recordPasskeyUse(
  tx: Transaction,
  { id, counter, usedAt }: { id: string; counter: number; usedAt: Date },
): Promise<void> {
  await tx.query('update passkey set counter = $2, last_used_at = $3 where id = $1', [id, counter, usedAt]);
}

/** Renames a passkey of a user. Does nothing if the user has no passkey with this id. */
export async function renamePasskey(tx: Transaction, userId: string, id: string, name: string): Promise<void> {
  await tx.query('update passkey set name = $3 where id = $1 and user_id = $2', [id, userId, name]);
}

/** Deletes a passkey of a user and returns its name; undefined if the user has no passkey with this id. */
export async function deletePasskey(tx: Transaction, userId: string, id: string): Promise<string | undefined> {
  const [row] = await tx.query<Pick<Tables['passkey'], 'name'>>(
    'delete from passkey where id = $1 and user_id = $2 returning name',
    [id, userId],
  );
  return row?.name;
}

/** Deletes all passkeys of a user. */
export async function deletePasskeys(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from passkey where user_id = $1', [userId]);
}

export async function insertChallenge(
  tx: Transaction,
  { hash, userId, expiresAt }: { hash: Buffer; userId: string | undefined; expiresAt: Date },
): Promise<void> {
  await tx.query('insert into passkey_challenge (challenge_hash, user_id, expires_at) values ($1, $2, $3)', [
    hash,
    userId ?? null,
    expiresAt,
  ]);
}

/**
 * Deletes a challenge, so that only one signature of it is accepted. Returns whether the challenge was valid for adding
 * a passkey of the given user or, if `userId` is undefined, for signing in.
 */
export async function takeChallenge(
  tx: Transaction,
  { hash, userId, now }: { hash: Buffer; userId: string | undefined; now: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `delete from passkey_challenge where challenge_hash = $1 and user_id is not distinct from $2 and expires_at > $3
     returning challenge_hash`,
    [hash, userId ?? null, now],
  );
  return rows.length > 0;
}

/** Deletes up to `limit` challenges that expired before a time, and returns the number of deleted challenges. */
export async function deleteExpiredChallenges(tx: Transaction, before: Date, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from passkey_challenge where challenge_hash in (
       select challenge_hash from passkey_challenge where expires_at < $1 limit $2
     ) returning challenge_hash`,
    [before, limit],
  );
  return rows.length;
}

function toStored(row: Tables['passkey']): StoredPasskey {
  return {
    id: row.id,
    credentialId: row.credential_id,
    publicKey: new Uint8Array(row.public_key),
    counter: row.counter,
    transports: row.transports,
  };
}
