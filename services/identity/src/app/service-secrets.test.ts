import { expect, test } from 'vitest';
import { parseServiceSecrets, verifyServiceSecret } from './service-secrets.ts';

test('a service authenticates only with its own secret', () => {
  const secrets = parseServiceSecrets('gateway:one, monitor:two:with:colons');
  expect(verifyServiceSecret(secrets, 'gateway', 'one')).toBe(true);
  expect(verifyServiceSecret(secrets, 'monitor', 'two:with:colons')).toBe(true);
  expect(verifyServiceSecret(secrets, 'monitor', 'one')).toBe(false);
  expect(verifyServiceSecret(secrets, 'gateway', '')).toBe(false);
  expect(verifyServiceSecret(secrets, 'nobody', '')).toBe(false);
});

test.each([
  ['', 'entry 1 has no ":"; write name:secret, entries separated by commas'],
  ['gateway:s3cret,', 'entry 2 has no ":"; write name:secret, entries separated by commas'],
  ['gateway:s3cret,Mon itor:s3cret', 'the name in entry 2 must be lowercase letters, digits or "-"'],
  ['gateway:', 'entry 1 names "gateway" and gives it no secret'],
  ['gateway:s3cret,gateway:s3cret', 'entry 2 names "gateway" again; give each service one secret'],
])('parsing %j fails with the error "%s", which does not contain a secret', (text, message) => {
  expect(() => parseServiceSecrets(text)).toThrow(new Error(message));
  expect(message).not.toContain('s3cret');
});
