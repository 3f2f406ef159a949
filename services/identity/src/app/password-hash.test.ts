import { expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './password-hash.ts';

test('a password is verified only against its own hash', async () => {
  const hash = await hashPassword('correct horse battery');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await verifyPassword('correct horse battery', hash)).toBe(true);
  expect(await verifyPassword('correct horse batterY', hash)).toBe(false);
  expect(await verifyPassword('correct horse battery', undefined)).toBe(false);
});

test('two hashes of a password differ', async () => {
  expect(await hashPassword('correct horse battery')).not.toBe(await hashPassword('correct horse battery'));
});

test('a hash that another program created is verified with the cost parameters in the hash', async () => {
  // Test vector of the reference implementation (P-H-C/phc-winner-argon2, src/test.c).
  const hash = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  expect(await verifyPassword('password', hash)).toBe(true);
  expect(await verifyPassword('differentpassword', hash)).toBe(false);
});

test('a password with decomposed Unicode characters matches the hash of the password with composed characters', async () => {
  expect(await verifyPassword('motdepasse e\u0301te\u0301', await hashPassword('motdepasse \u00e9t\u00e9'))).toBe(true);
});
