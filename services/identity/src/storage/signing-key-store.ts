import type { Transaction } from '@tocsin/database';
import { SigningKeyEntity } from './schema.ts';

/** A stored key pair: JWKs as JSON text, the private one encrypted. */
export interface StoredSigningKey {
  readonly id: string;
  readonly publicJwk: string;
  readonly sealedPrivateJwk: string;
  readonly createdAt: Date;
}

/** Waits for the lock that only one transaction at a time has. */
export async function lockSigningKeys(tx: Transaction): Promise<void> {
  await tx.query('lock table signing_key in share row exclusive mode');
}

/** Returns all keys, newest first. */
export async function listSigningKeys(tx: Transaction): Promise<StoredSigningKey[]> {
  return tx.em.find(SigningKeyEntity, {}, { orderBy: { createdAt: 'desc', id: 'desc' } });
}

export async function insertSigningKey(tx: Transaction, key: StoredSigningKey): Promise<void> {
  await tx.em.insert(SigningKeyEntity, key);
}

export async function replaceSealedKey(tx: Transaction, id: string, sealedPrivateJwk: string): Promise<void> {
  await tx.em.nativeUpdate(SigningKeyEntity, { id }, { sealedPrivateJwk });
}

export async function deleteSigningKeys(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.em.nativeDelete(SigningKeyEntity, { id: { $in: [...ids] } });
}
