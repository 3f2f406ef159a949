import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { ensureLinkKey } from '../storage/link-key-store.ts';
import type { Deps } from './ports.ts';

/**
 * Purposes of links. The value is the first byte of the signed token, so a link can not be used for another purpose.
 */
export const LINK_KINDS = {
  disruption: 1,
  alert: 2,
  confirm: 3,
  unsubscribe: 4,
  confirmSubscriber: 5,
  unsubscribeSubscriber: 6,
} as const;
export type LinkKind = keyof typeof LINK_KINDS;

/** Signs tokens for public links. */
export interface LinkSigner {
  /**
   * Returns a signed token.
   * @throws VaultError
   */
  sign(kind: LinkKind, body: Uint8Array): Promise<string>;
  /**
   * Returns the kind and body of a token. Returns undefined if this installation did not create the token, or if its
   * kind is not in `kinds`.
   * @throws VaultError
   */
  open(
    token: string,
    kinds: readonly LinkKind[],
  ): Promise<{ readonly kind: LinkKind; readonly body: Buffer } | undefined>;
}

/** Vault context of the sealed key that signs the links. */
export const LINK_KEY_CONTEXT = 'outage-links';

const KEY_BYTES = 32;
/** Length of an HMAC in bytes. An HMAC of 128 bits can not be guessed. */
const MAC_BYTES = 16;
/** Format of tokens. All valid tokens are shorter than the maximum length. */
const TOKEN = /^[A-Za-z0-9_-]{24,128}$/;

/**
 * Creates a signer. A token contains a kind, a body and an HMAC of both, in base64url. The key is created at the first
 * use, sealed by the vault, and shared by all replicas.
 */
export function createLinkSigner({ database, vault }: Pick<Deps, 'database' | 'vault'>): LinkSigner {
  let known: Promise<KeyObject> | undefined;

  function key(): Promise<KeyObject> {
    known ??= readKey();
    // If reading the key fails, discard the promise, so that the next caller reads the key again.
    known.catch(() => {
      known = undefined;
    });
    return known;
  }

  async function readKey(): Promise<KeyObject> {
    const fresh = vault.seal(randomBytes(KEY_BYTES).toString('base64'), LINK_KEY_CONTEXT);
    const sealed = await database.transaction('every organization', (tx) => ensureLinkKey(tx, fresh));
    return createSecretKey(vault.open(sealed, LINK_KEY_CONTEXT), 'base64');
  }

  return {
    async sign(kind, body) {
      const signed = Buffer.from([LINK_KINDS[kind], ...body]);
      return Buffer.concat([signed, macOf(await key(), signed)]).toString('base64url');
    },

    async open(token, kinds) {
      const bytes = Buffer.from(token, 'base64url');
      if (!TOKEN.test(token) || bytes.toString('base64url') !== token) return undefined;
      const signed = bytes.subarray(0, -MAC_BYTES);
      if (!timingSafeEqual(bytes.subarray(-MAC_BYTES), macOf(await key(), signed))) return undefined;
      const kind = kinds.find((candidate) => LINK_KINDS[candidate] === signed[0]);
      return kind && { kind, body: signed.subarray(1) };
    },
  };
}

function macOf(key: KeyObject, signed: Buffer): Buffer {
  return createHmac('sha256', key).update(signed).digest().subarray(0, MAC_BYTES);
}
