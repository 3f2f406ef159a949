import { createHash, randomBytes } from 'node:crypto';

const SECRET = /^[\w-]{43}$/;

/** Returns a new secret of 256 random bits, as 43 characters that are safe in URLs and cookies. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a text has the format of a secret. Other texts need no look-up. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Returns the hash that is stored for a secret. Because a secret has 256 random bits, no slow hash is required. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
