import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'tocsin_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 is the first power of 62 that 32 bytes fit into. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** How many random bytes a key is made of. */
export const API_KEY_BYTES = 32;

/**
 * An API key from random bytes: `tocsin_`, the bytes as 43 base62 digits, and the CRC-32 of those digits as 6 more, so
 * that a secret scanner distinguishes a real key from a look-alike offline.
 */
export function formatApiKey(random: Uint8Array): string {
  if (random.length !== API_KEY_BYTES) throw new RangeError(`an API key is made of ${API_KEY_BYTES} random bytes`);
  const digits = base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), RANDOM_LENGTH);
  return `${PREFIX}${digits}${checksumOf(digits)}`;
}

/** Whether a text can be a key at all: its shape and its checksum are right. */
export function isApiKey(text: string): boolean {
  const [, digits, checksum] = SHAPE.exec(text) ?? [];
  return digits !== undefined && checksumOf(digits) === checksum;
}

/** What is stored of a key. Its 256 random bits need no salt and no slow hash. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function checksumOf(digits: string): string {
  return base62(BigInt(crc32(digits)), CHECKSUM_LENGTH);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}
