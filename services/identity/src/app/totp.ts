import { createHmac, randomBytes } from 'node:crypto';

/** Values that all authenticator apps support (RFC 6238 §4, RFC 4226 §5.3). */
const STEP_S = 30;
const DIGITS = 6;
const SECRET_BYTES = 20;

/** Returns the time step that contains a time. */
export function stepAt(time: Date): number {
  return Math.floor(time.getTime() / 1000 / STEP_S);
}

/** Returns the code for a time step (RFC 4226 §5.3). */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', secret).update(counter).digest();
  const offset = hash.readUInt8(hash.length - 1) & 0xf;
  const number = (hash.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

/**
 * Returns the time step of a code, or undefined if the code is wrong. The clock of the app may differ by one step. A
 * code whose step is not after `lastStep` is refused, so that each code works once.
 */
export function stepOfCode(secret: Buffer, code: string, now: Date, lastStep: number): number | undefined {
  const current = stepAt(now);
  return [current - 1, current, current + 1].find((step) => step > lastStep && codeAt(secret, step) === code);
}

export function createTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns bytes in base32 without padding (RFC 4648 §6). */
export function toBase32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32.charAt(Number.parseInt(five.padEnd(5, '0'), 2))).join('');
}

/** Returns the URI from which an authenticator app reads the secret, usually as a QR code. */
export function otpauthUri(secret: Buffer, { email, host }: { email: string; host: string }): string {
  const issuer = `Tocsin (${host})`;
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
