import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { KEY_BYTES } from './aes-gcm.ts';

/** A key-encryption key. The KeyObject keeps its bytes out of logs and JSON. */
export interface VaultKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Keys of a vault. The first one is the primary key. */
export type VaultKeys = readonly [VaultKey, ...VaultKey[]];

const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;
const KEY_TEXT = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Parses `TOCSIN_VAULT_KEYS`: entries `id:key` separated by commas, where a key is 32 bytes in base64. The first entry
 * is the primary key. It is used to seal secrets; all keys can be used to open them.
 * @throws Error that names the invalid entry and the reason. The message may contain ids, but no keys.
 */
export function parseVaultKeys(text: string): [VaultKey, ...VaultKey[]] {
  const entries = text.split(',').map((entry) => entry.trim());
  const [primary, ...others] = entries.filter((entry) => entry !== '').map(parseEntry);
  if (!primary) throw new Error('TOCSIN_VAULT_KEYS is empty; write id:key with a key of 32 bytes in base64');
  const ids = new Set<string>();
  for (const { id } of [primary, ...others]) {
    if (ids.has(id)) throw new Error(`TOCSIN_VAULT_KEYS holds the id "${id}" twice; give each key an id of its own`);
    ids.add(id);
  }
  return [primary, ...others];
}

/** Returns a new random key as an entry of `TOCSIN_VAULT_KEYS`. */
export function generateVaultKey(id: string): string {
  if (!KEY_ID.test(id)) throw new Error(`the key id "${id}" must be 1 to 32 letters, digits, "-" or "_"`);
  return `${id}:${randomBytes(KEY_BYTES).toString('base64')}`;
}

function parseEntry(entry: string, index: number): VaultKey {
  const where = `entry ${index + 1} of TOCSIN_VAULT_KEYS`;
  const colon = entry.indexOf(':');
  if (colon < 0) throw new Error(`${where} has no ":"; write id:key with a key of 32 bytes in base64`);
  const id = entry.slice(0, colon);
  if (!KEY_ID.test(id)) throw new Error(`the id in ${where} must be 1 to 32 letters, digits, "-" or "_"`);
  const key = entry.slice(colon + 1);
  if (!KEY_TEXT.test(key))
    throw new Error(`the key "${id}" in ${where} must be ${KEY_BYTES} bytes in base64 (44 characters)`);
  return { id, key: createSecretKey(key, 'base64') };
}
