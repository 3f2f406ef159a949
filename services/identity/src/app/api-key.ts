import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'tocsin_';
const SERVICE_CREDENTIAL_PREFIX = 'tocsin_service_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Number of base62 digits for 32 bytes, because 62^43 is the smallest power of 62 above 2^256. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const DIGITS_AND_CHECKSUM = new RegExp(`^([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** Number of random bytes in a key. */
export const API_KEY_BYTES = 32;

/**
 * Returns an API key from random bytes: `tocsin_`, the bytes as 43 base62 digits, and the CRC-32 of these digits as 6
 * base62 digits. The checksum lets secret scanners recognize real keys offline.
 */
export function formatApiKey(random: Uint8Array): string {
  return format(PREFIX, random);
}

/** Whether a text has the format and a valid checksum of an API key. */
export function isApiKey(text: string): boolean {
  return hasFormat(PREFIX, text);
}

/** Returns the secret of a service credential: `tocsin_service_`, then the same digits as in an API key. */
export function formatServiceCredential(random: Uint8Array): string {
  return format(SERVICE_CREDENTIAL_PREFIX, random);
}

/** Whether a text has the format and a valid checksum of a service credential's secret. */
export function isServiceCredential(text: string): boolean {
  return hasFormat(SERVICE_CREDENTIAL_PREFIX, text);
}

function format(prefix: string, random: Uint8Array): string {
  if (random.length !== API_KEY_BYTES) throw new RangeError(`a key is made of ${API_KEY_BYTES} random bytes`);
  const digits = base62(BigInt(`0x${Buffer.from(random).toString('hex')}`), RANDOM_LENGTH);
  return `${prefix}${digits}${checksumOf(digits)}`;
}

function hasFormat(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const [, digits, checksum] = DIGITS_AND_CHECKSUM.exec(text.slice(prefix.length)) ?? [];
  return digits !== undefined && checksumOf(digits) === checksum;
}

/** Returns the hash that is stored for a key. Because a key has 256 random bits, no salt or slow hash is required. */
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
