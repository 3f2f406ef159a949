import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

export const KEY_BYTES = 32;

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Difference in bytes between ciphertext and plaintext. */
export const OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES;

/**
 * Encrypts with AES-256-GCM. Returns nonce, ciphertext and tag in one buffer. `bound` is authenticated but not stored.
 * Because the nonce is random, one key may encrypt at most 2^32 messages (NIST SP 800-38D §8.3).
 */
export function encrypt(key: KeyObject | Buffer, plaintext: Uint8Array, bound: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyObjectOf(key), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(bound));
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts a message from `encrypt`.
 * @throws Node's error if the key, `bound` or any bit of the message has changed.
 */
export function decrypt(key: KeyObject | Buffer, message: Buffer, bound: string): Buffer {
  const nonce = message.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, keyObjectOf(key), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(message.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(message.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}

/** Returns the key as a KeyObject. Node takes 66 µs to set up a cipher with bytes, and 26 µs with a new KeyObject. */
function keyObjectOf(key: KeyObject | Buffer): KeyObject {
  return Buffer.isBuffer(key) ? createSecretKey(key) : key;
}
