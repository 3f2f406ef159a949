import type { Database, Transaction } from '@tocsin/database';
import { type Caller, claimsOf, TOKEN_ALGORITHM, TOKEN_ISSUER } from '@tocsin/runtime';
import type { Vault } from '@tocsin/vault';
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JSONWebKeySet, SignJWT } from 'jose';
import { v7 } from 'uuid';
import {
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  replaceSealedKey,
  type StoredSigningKey,
} from '../storage/signing-key-store.ts';

/** Signs internal tokens and returns the public keys. All replicas share the keys through the database. */
export interface SigningKeys {
  /** Returns an internal token for `caller` that is good at the service `audience` until `endsAt`, a whole second. */
  sign(caller: Caller, audience: string, endsAt: Date): Promise<string>;
  /** Reads the public halves of all keys: another replica may have created one. */
  publicKeys(): Promise<JSONWebKeySet>;
}

export interface SigningKeysOptions {
  readonly database: Database;
  readonly vault: Vault;
  readonly now: () => Date;
}

/** Returns the newest key, and creates the first one: of replicas that start together, one does. */
export async function openSigningKeys({ database, vault, now }: SigningKeysOptions): Promise<SigningKeys> {
  const { id, sealedPrivateJwk } = await database.transaction('every organization', async (tx) => {
    await lockSigningKeys(tx);
    const stored = await listSigningKeys(tx);
    await resealOld(tx, vault, stored);
    return stored[0] ?? (await createSigningKey(tx, vault, now()));
  });
  const privateKey = await importPrivateKey(vault.open(sealedPrivateJwk, contextOf(id)));

  return {
    async sign(caller, audience, endsAt) {
      return new SignJWT(claimsOf(caller, audience))
        .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid: id })
        .setIssuer(TOKEN_ISSUER)
        .setIssuedAt(now())
        .setExpirationTime(endsAt)
        .sign(privateKey);
    },
    async publicKeys() {
      const stored = await database.transaction('every organization', listSigningKeys);
      return { keys: stored.map(({ publicJwk }) => JSON.parse(publicJwk)) };
    },
  };
}

async function createSigningKey(tx: Transaction, vault: Vault, createdAt: Date): Promise<StoredSigningKey> {
  const id = v7();
  const pair = await generateKeyPair(TOKEN_ALGORITHM, { crv: 'Ed25519', extractable: true });
  const publicJwk = { ...(await exportJWK(pair.publicKey)), kid: id, alg: TOKEN_ALGORITHM, use: 'sig' };
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey));
  const key = {
    id,
    publicJwk: JSON.stringify(publicJwk),
    sealedPrivateJwk: vault.seal(privateJwk, contextOf(id)),
    createdAt,
  };
  await insertSigningKey(tx, key);
  return key;
}

/** Brings keys under the vault's primary key, so that the operator can retire an old one. */
async function resealOld(tx: Transaction, vault: Vault, stored: readonly StoredSigningKey[]): Promise<void> {
  for (const { id, sealedPrivateJwk } of stored) {
    if (vault.needsRotation(sealedPrivateJwk)) {
      await replaceSealedKey(tx, id, vault.rotate(sealedPrivateJwk, contextOf(id)));
    }
  }
}

async function importPrivateKey(jwk: string): Promise<CryptoKey> {
  const key = await importJWK(JSON.parse(jwk), TOKEN_ALGORITHM);
  if (key instanceof Uint8Array) throw new TypeError('the stored signing key is no key pair');
  return key;
}

function contextOf(id: string): string {
  return `signing-key/${id}`;
}
