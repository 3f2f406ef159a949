import type { Database, Transaction } from '@tocsin/database';
import { type Caller, claimsOf, TOKEN_ALGORITHM, TOKEN_ISSUER } from '@tocsin/runtime';
import type { Vault } from '@tocsin/vault';
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JSONWebKeySet, SignJWT } from 'jose';
import { v7 } from 'uuid';
import { findRetired, findSigner, isRotationDue, PUBLISHED_AHEAD_MS } from '../domain/signing-key-schedule.ts';
import {
  deleteSigningKeys,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
  replaceSealedKey,
  type StoredSigningKey,
} from '../storage/signing-key-store.ts';

/** Signs internal tokens and returns the public keys. All replicas share the keys through the database. */
export interface SigningKeys {
  /**
   * Returns an internal token for `caller` that is valid at the service `audience` until `endsAt`, which must be in
   * whole seconds.
   */
  sign(caller: Caller, audience: string, endsAt: Date): Promise<string>;
  /** Returns the public keys, including those that another replica has created. */
  publicKeys(): Promise<JSONWebKeySet>;
  /**
   * Creates a key that begins to sign tokens a minute later. Tokens that earlier keys signed stay valid until they
   * expire.
   */
  rotate(): Promise<CreatedKey>;
  /**
   * Creates a key if the newest one is too old, and deletes keys that are no longer needed. Several replicas may call
   * this method concurrently.
   */
  maintain(): Promise<void>;
}

export interface CreatedKey {
  readonly id: string;
  /** Time from which the key signs tokens. */
  readonly signsFrom: Date;
}

/** Milliseconds for which a replica caches the keys. */
const RELOAD_MS = 10_000;

export interface SigningKeysOptions {
  readonly database: Database;
  readonly vault: Vault;
  readonly now: () => Date;
}

/**
 * Opens the signing keys in the database. If there are no keys yet, creates one. If several replicas start at the same
 * time, only one of them creates it.
 */
export async function openSigningKeys({ database, vault, now }: SigningKeysOptions): Promise<SigningKeys> {
  /** Runs `work`, which may change the keys. Only one replica at a time can do this. */
  const change = <Result>(work: (tx: Transaction, stored: StoredSigningKey[]) => Promise<Result>) =>
    database.transaction('every organization', async (tx) => {
      await lockSigningKeys(tx);
      return work(tx, await listSigningKeys(tx));
    });
  const readAll = () => database.transaction('every organization', listSigningKeys);
  const imported = new Map<string, CryptoKey>();
  let known = await change(async (tx, stored) => {
    await resealOld(tx, vault, stored);
    return stored.length > 0 ? stored : [await createSigningKey(tx, vault, now())];
  });
  let knownAt = now().getTime();

  async function signer(): Promise<{ id: string; privateKey: CryptoKey }> {
    const time = now();
    if (Math.abs(time.getTime() - knownAt) >= RELOAD_MS) {
      known = await readAll();
      knownAt = time.getTime();
    }
    const key = findSigner(known, time);
    if (!key) throw new Error('there is no signing key');
    const { id, sealedPrivateJwk } = key;
    const privateKey =
      imported.get(id) ?? (await importPrivateKey(vault.open(sealedPrivateJwk, signingKeyContext(id))));
    imported.set(id, privateKey);
    return { id, privateKey };
  }

  return {
    async sign(caller, audience, endsAt) {
      const { id, privateKey } = await signer();
      return new SignJWT(claimsOf(caller, audience))
        .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid: id })
        .setIssuer(TOKEN_ISSUER)
        .setIssuedAt(now())
        .setExpirationTime(endsAt)
        .sign(privateKey);
    },
    async publicKeys() {
      return { keys: (await readAll()).map(({ publicJwk }) => JSON.parse(publicJwk)) };
    },
    async rotate() {
      const { id, createdAt } = await change((tx) => createSigningKey(tx, vault, now()));
      return { id, signsFrom: new Date(createdAt.getTime() + PUBLISHED_AHEAD_MS) };
    },
    async maintain() {
      await change(async (tx, stored) => {
        if (isRotationDue(stored, now())) await createSigningKey(tx, vault, now());
        await deleteSigningKeys(
          tx,
          findRetired(stored, now()).map(({ id }) => id),
        );
      });
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
    sealedPrivateJwk: vault.seal(privateJwk, signingKeyContext(id)),
    createdAt,
  };
  await insertSigningKey(tx, key);
  return key;
}

/** Encrypts all signing keys with the vault's primary key, so that the operator can remove an old vault key. */
async function resealOld(tx: Transaction, vault: Vault, stored: readonly StoredSigningKey[]): Promise<void> {
  for (const { id, sealedPrivateJwk } of stored) {
    if (vault.needsRotation(sealedPrivateJwk)) {
      await replaceSealedKey(tx, id, vault.rotate(sealedPrivateJwk, signingKeyContext(id)));
    }
  }
}

async function importPrivateKey(jwk: string): Promise<CryptoKey> {
  const key = await importJWK(JSON.parse(jwk), TOKEN_ALGORITHM);
  if (key instanceof Uint8Array) throw new TypeError('the stored signing key is no key pair');
  return key;
}

export function signingKeyContext(id: string): string {
  return `signing-key/${id}`;
}
