import { type KeyObject, randomBytes } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES } from './aes-gcm.ts';
import { type Envelope, formatEnvelope, parseEnvelope } from './envelope.ts';
import { VaultError } from './vault-error.ts';
import type { VaultKeys } from './vault-keys.ts';

/**
 * Encrypts (seals) secrets for storage, and decrypts (opens) them. Each secret has its own random data key, which is
 * wrapped by a key-encryption key. `context` names the owner of the secret, such as `monitor/<id>/secrets`. The context
 * is not stored, but the secret opens only with the same context. A secret that is copied into another row cannot be
 * opened.
 */
export interface Vault {
  /** Id of the primary key. A sealed text contains the id of its key after the first dot. */
  readonly primaryKeyId: string;

  /** Uses other keys from now on. The first one is the primary key. */
  replaceKeys(keys: VaultKeys): void;

  /** Seals a secret with the primary key. Sealing the same secret twice returns different texts. */
  seal(plaintext: string, context: string): string;

  /**
   * Returns the secret in a sealed text.
   * @throws VaultError
   */
  open(sealed: string, context: string): string;

  /**
   * Returns whether the data key is wrapped with a key other than the primary key, so that `rotate` would change the
   * text.
   * @throws VaultError `malformed`.
   */
  needsRotation(sealed: string): boolean;

  /**
   * Wraps the data key with the primary key, without decrypting the secret. Returns the text unchanged if its data key
   * is already wrapped with the primary key.
   * @throws VaultError
   */
  rotate(sealed: string, context: string): string;
}

/** Creates a vault. It seals secrets with the first key, the primary key, and opens them with any of the keys. */
export function createVault(keys: VaultKeys): Vault {
  let [primary] = keys;
  let keysById = new Map(keys.map(({ id, key }) => [id, key]));

  function wrap(dataKey: Buffer, context: string): Pick<Envelope, 'keyId' | 'wrappedKey'> {
    return { keyId: primary.id, wrappedKey: encrypt(primary.key, dataKey, keyBinding(primary.id, context)) };
  }

  function unwrap({ keyId, wrappedKey }: Envelope, context: string): Buffer {
    const key = findKey(keyId);
    return orRefuse(keyId, context, () => decrypt(key, wrappedKey, keyBinding(keyId, context)));
  }

  function findKey(keyId: string): KeyObject {
    const key = keysById.get(keyId);
    if (key) return key;
    const held = [...keysById.keys()].join(', ');
    throw new VaultError(
      'unknown-key',
      `the secret is sealed under the key "${keyId}", and the vault only holds ${held}`,
    );
  }

  return {
    get primaryKeyId() {
      return primary.id;
    },

    replaceKeys(others) {
      [primary] = others;
      keysById = new Map(others.map(({ id, key }) => [id, key]));
    },

    seal(plaintext, context) {
      // Reject lone surrogates. UTF-8 cannot represent them, so encoding would replace them with another character.
      if (!plaintext.isWellFormed()) throw new TypeError('a secret must be Unicode without lone surrogates');
      const dataKey = randomBytes(KEY_BYTES);
      const ciphertext = encrypt(dataKey, Buffer.from(plaintext), context);
      return formatEnvelope({ ...wrap(dataKey, context), ciphertext });
    },

    open(sealed, context) {
      const envelope = parseEnvelope(sealed);
      const dataKey = unwrap(envelope, context);
      return orRefuse(envelope.keyId, context, () => decrypt(dataKey, envelope.ciphertext, context)).toString();
    },

    needsRotation(sealed) {
      return parseEnvelope(sealed).keyId !== primary.id;
    },

    rotate(sealed, context) {
      const envelope = parseEnvelope(sealed);
      if (envelope.keyId === primary.id) return sealed;
      return formatEnvelope({ ...wrap(unwrap(envelope, context), context), ciphertext: envelope.ciphertext });
    },
  };
}

/**
 * Returns the data that binds a wrapped key to its id and context. The data is unambiguous, because ids contain no line
 * break.
 */
function keyBinding(keyId: string, context: string): string {
  return `${keyId}\n${context}`;
}

function orRefuse(keyId: string, context: string, decryption: () => Buffer): Buffer {
  try {
    return decryption();
  } catch {
    throw new VaultError(
      'refused',
      `the secret for "${context}" does not open: it was altered, sealed for another context, or sealed with another key than the "${keyId}" of this vault`,
    );
  }
}
