import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  API_KEY_BYTES,
  formatApiKey,
  formatServiceCredential,
  hashApiKey,
  isApiKey,
  isServiceCredential,
} from './api-key.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function numberFrom(digits: string): bigint {
  return [...digits].reduce((value, digit) => value * 62n + BigInt(DIGITS.indexOf(digit)), 0n);
}

test.each([
  ['all zeros', Buffer.alloc(API_KEY_BYTES)],
  ['all ones', Buffer.alloc(API_KEY_BYTES, 0xff)],
  ['random bytes', randomBytes(API_KEY_BYTES)],
])('a key made from %s contains the bytes as base62 digits and the CRC-32 of these digits', (_, bytes) => {
  const key = formatApiKey(bytes);
  expect(key).toMatch(/^tocsin_[0-9A-Za-z]{49}$/);
  const digits = key.slice(7, 50);
  expect(numberFrom(digits)).toBe(BigInt(`0x${bytes.toString('hex')}`));
  expect(numberFrom(key.slice(50))).toBe(BigInt(crc32(digits)));
  expect(isApiKey(key)).toBe(true);
});

test('the key made from 32 zero bytes never changes, so that secret scanners can use it in tests', () => {
  expect(formatApiKey(Buffer.alloc(API_KEY_BYTES))).toBe(`tocsin_${'0'.repeat(43)}2CZclj`);
});

test('the secret of a service credential has its own prefix, and is not accepted as an API key', () => {
  const random = randomBytes(API_KEY_BYTES);
  const [key, secret] = [formatApiKey(random), formatServiceCredential(random)];
  expect(secret).toBe(key.replace('tocsin_', 'tocsin_service_'));
  expect([isServiceCredential(secret), isApiKey(secret)]).toEqual([true, false]);
  expect([isServiceCredential(key), isApiKey(key)]).toEqual([false, true]);
});

test('a key with one changed character is invalid', () => {
  const key = formatApiKey(randomBytes(API_KEY_BYTES));
  for (let index = 0; index < key.length; index += 1) {
    const changed = key.charAt(index) === 'x' ? 'y' : 'x';
    expect(isApiKey(key.slice(0, index) + changed + key.slice(index + 1))).toBe(false);
  }
});

test.each(['', 'tocsin_', 'sk_live_abc', `tocsin_${'0'.repeat(50)}`, `tocsin_${'-'.repeat(49)}`])(
  'the text %j is not an API key',
  (text) => {
    expect(isApiKey(text)).toBe(false);
    expect(isApiKey(`${formatApiKey(Buffer.alloc(API_KEY_BYTES))}\n`)).toBe(false);
  },
);

test('a key made from fewer than 32 bytes is refused, and the hash of a key is its SHA-256', () => {
  expect(() => formatApiKey(Buffer.alloc(31))).toThrow('32 random bytes');
  expect(hashApiKey('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
