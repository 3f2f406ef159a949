import type { Transaction } from '@tocsin/database';
import type { Tables } from './tables.ts';

export interface StoredTotp {
  readonly sealedSecret: string;
  readonly createdAt: Date;
  readonly isEnabled: boolean;
  readonly lastStep: number;
}

/** Returns a user's second factor and locks it until the transaction ends; undefined if the user has not set one up. */
export async function lockTotp(tx: Transaction, userId: string): Promise<StoredTotp | undefined> {
  const [row] = await tx.query<Pick<Tables['user_totp'], 'sealed_secret' | 'created_at' | 'enabled_at' | 'last_step'>>(
    'select sealed_secret, created_at, enabled_at, last_step from user_totp where user_id = $1 for update',
    [userId],
  );
  if (!row) return undefined;
  const { sealed_secret: sealedSecret, created_at: createdAt, enabled_at: enabledAt, last_step: lastStep } = row;
  return { sealedSecret, createdAt, isEnabled: enabledAt !== null, lastStep };
}

/** Returns the number of a user's recovery codes; undefined if the second factor is not enabled. */
export async function countRecoveryCodes(tx: Transaction, userId: string): Promise<number | undefined> {
  const [row] = await tx.query<{ codes: number }>(
    `select (select count(*) from recovery_code c where c.user_id = t.user_id) as codes
     from user_totp t where t.user_id = $1 and t.enabled_at is not null`,
    [userId],
  );
  return row?.codes;
}

/** Saves a secret that is not enabled yet. Replaces an earlier secret that was not enabled. */
export async function saveNewTotp(
  tx: Transaction,
  { userId, sealedSecret, createdAt }: { userId: string; sealedSecret: string; createdAt: Date },
): Promise<void> {
  await tx.query(
    `insert into user_totp (user_id, sealed_secret, created_at, enabled_at, last_step) values ($1, $2, $3, null, 0)
     on conflict (user_id) do update
       set sealed_secret = excluded.sealed_secret, created_at = excluded.created_at, last_step = 0
       where user_totp.enabled_at is null`,
    [userId, sealedSecret, createdAt],
  );
}

export async function enableTotp(tx: Transaction, userId: string, enabledAt: Date): Promise<void> {
  await tx.query('update user_totp set enabled_at = $2 where user_id = $1', [userId, enabledAt]);
}

export async function saveLastStep(tx: Transaction, userId: string, step: number): Promise<void> {
  await tx.query('update user_totp set last_step = $2 where user_id = $1', [userId, step]);
}

/** Deletes a user's second factor with its recovery codes. Returns whether it existed. */
export async function deleteTotp(tx: Transaction, userId: string): Promise<boolean> {
  const rows = await tx.query('delete from user_totp where user_id = $1 returning user_id', [userId]);
  return rows.length > 0;
}

/** Deletes a user's second factor with its recovery codes if it was enabled at or after a time. */
export async function deleteTotpSince(tx: Transaction, userId: string, since: Date): Promise<void> {
  await tx.query('delete from user_totp where user_id = $1 and enabled_at >= $2', [userId, since]);
}

export async function replaceRecoveryCodes(tx: Transaction, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await tx.query('delete from recovery_code where user_id = $1', [userId]);
  for (const hash of hashes) {
    await tx.query('insert into recovery_code (user_id, code_hash) values ($1, $2)', [userId, hash]);
  }
}

/** Deletes a recovery code, so that it works only once. Returns whether it existed. */
export async function takeRecoveryCode(tx: Transaction, userId: string, hash: Buffer): Promise<boolean> {
  const sql = 'delete from recovery_code where user_id = $1 and code_hash = $2 returning user_id';
  return (await tx.query(sql, [userId, hash])).length > 0;
}
