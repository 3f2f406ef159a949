import { type CipherKey, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

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
export function encrypt(key: CipherKey, plaintext: Uint8Array, bound: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(bound));
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts a message of `encrypt`.
 * @throws Node's error if the key, `bound` or any bit of the message has changed.
 */
export function decrypt(key: CipherKey, message: Buffer, bound: string): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, message.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(message.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(message.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
}
