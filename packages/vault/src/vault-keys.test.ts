import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { generateVaultKey, parseVaultKeys } from './vault-keys.ts';

const KEY = 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ=';

test('a generated vault key is a valid entry of TOCSIN_VAULT_KEYS', () => {
  const entry = generateVaultKey('2024-a');
  const [key] = parseVaultKeys(entry);
  expect(key.id).toBe('2024-a');
  expect(`2024-a:${key.key.export().toString('base64')}`).toBe(entry);
  expect(generateVaultKey('2024-a')).not.toBe(entry);
});

test('the first of several keys is the primary one', () => {
  const keys = parseVaultKeys(` new:${KEY} , ${generateVaultKey('old')},`);
  expect(keys.map(({ id }) => id)).toEqual(['new', 'old']);
});

test('printing a key does not show its bytes', () => {
  const [key] = parseVaultKeys(`a:${KEY}`);
  const printed = inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key);
  expect(printed).not.toContain(KEY);
  expect(printed).not.toContain(Buffer.from(KEY, 'base64').toString('hex').slice(0, 8));
});

test.each([
  ['', 'TOCSIN_VAULT_KEYS is empty'],
  [' , ', 'TOCSIN_VAULT_KEYS is empty'],
  [KEY, 'entry 1 of TOCSIN_VAULT_KEYS has no ":"'],
  [`a:${KEY},${KEY}`, 'entry 2 of TOCSIN_VAULT_KEYS has no ":"'],
  [`${KEY}:a`, 'the id in entry 1 of TOCSIN_VAULT_KEYS must be'],
  [`:${KEY}`, 'the id in entry 1 of TOCSIN_VAULT_KEYS must be'],
  [`a.b:${KEY}`, 'the id in entry 1 of TOCSIN_VAULT_KEYS must be'],
  [`a:${KEY.slice(4)}`, 'the key "a" in entry 1 of TOCSIN_VAULT_KEYS must be 32 bytes in base64'],
  [`a:${KEY}${KEY}`, 'the key "a" in entry 1'],
  ['a:', 'the key "a" in entry 1'],
  [`a:${KEY},a:${KEY}`, 'holds the id "a" twice'],
])('the vault keys %j are refused with an error that does not contain a key', (text, reason) => {
  const refusal = () => parseVaultKeys(text);
  expect(refusal).toThrow(reason);
  expect(refusal).not.toThrow(/c2VjcmV0|cmV0LX/);
});

test.each(['', 'a.b', 'a:b', 'x'.repeat(33)])('%j is not a key id', (id) => {
  expect(() => generateVaultKey(id)).toThrow('must be 1 to 32 letters');
});
