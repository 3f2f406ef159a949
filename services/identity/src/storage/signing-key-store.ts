import type { Transaction } from '@tocsin/database';
import { SigningKeyEntity } from './schema.ts';

/** A stored key pair. Both keys are JWKs as JSON text, and the private one is sealed by the vault. */
export interface StoredSigningKey {
  readonly id: string;
  readonly publicJwk: string;
  readonly sealedPrivateJwk: string;
  readonly createdAt: Date;
}

/** Locks the signing keys until the transaction ends. Only one transaction at a time can have this lock. */
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
