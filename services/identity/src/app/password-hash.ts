import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2);

/** Cost of a hash: 19 MiB of memory in 2 passes, as OWASP recommends for argon2id. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Returns the argon2id hash of a password as a PHC string, which contains the cost and a random salt. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await compute(password, { ...COST, nonce: salt, tagLength: HASH_BYTES });
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toBase64(salt)}$${toBase64(hash)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/**
 * Hash that no password matches. For a user without a password, the entered password is verified against this hash,
 * which takes the same time as for other users.
 */
const NO_HASH = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${toBase64(Buffer.alloc(SALT_BYTES))}$${toBase64(Buffer.alloc(HASH_BYTES))}`;

/** Verifies a password. A wrong password and a missing hash take the same time. */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', hash = ''] = PHC.exec(stored ?? NO_HASH) ?? [];
  const expected = Buffer.from(hash, 'base64');
  const computed = await compute(password, {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
  });
  return timingSafeEqual(computed, expected) && stored !== undefined;
}

/**
 * Normalizes a password and computes its hash. Without normalization, the same password could have different hashes,
 * because keyboards encode the same character differently (RFC 8265 §4.2.2).
 */
async function compute(password: string, parameters: Omit<Argon2Parameters, 'message'>): Promise<Buffer> {
  return derive('argon2id', { ...parameters, message: password.normalize('NFC') });
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
