import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createVault } from './vault.ts';
import { VaultError, type VaultErrorReason } from './vault-error.ts';
import { generateVaultKey, parseVaultKeys } from './vault-keys.ts';

const OLD = generateVaultKey('old');
const NEW = generateVaultKey('new');
const CONTEXT = 'monitor/m1/secrets';

function vaultWith(...entries: string[]) {
  return createVault(parseVaultKeys(entries.join()));
}

function refusal(act: () => unknown): VaultError {
  try {
    act();
  } catch (error) {
    if (error instanceof VaultError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function expectRefusal(act: () => unknown, reason: VaultErrorReason) {
  expect(refusal(act).reason).toBe(reason);
}

test('any text that was sealed in a context opens unchanged in the same context', () => {
  const vault = vaultWith(NEW, OLD);
  const unicode = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(unicode, unicode, (plaintext, context) => {
      expect(vault.open(vault.seal(plaintext, context), context)).toBe(plaintext);
    }),
  );
});

test('a long sealed text opens unchanged', () => {
  const vault = vaultWith(OLD);
  const long = 'Glocke 🔔 '.repeat(100_000);
  expect(vault.open(vault.seal(long, CONTEXT), CONTEXT)).toBe(long);
});

test('a sealed text contains the version and the key id but not the secret, and differs each time', () => {
  const vault = vaultWith(NEW, OLD);
  const sealed = vault.seal('hunter2', CONTEXT);
  expect(sealed).toMatch(/^v1\.new\.[\w-]{80}\.[\w-]+$/);
  expect(sealed).not.toContain(Buffer.from('hunter2').toString('base64url').slice(0, 8));
  const parts = [sealed, vault.seal('hunter2', CONTEXT)].map((text) => text.split('.'));
  expect(parts[0]?.[2]).not.toBe(parts[1]?.[2]);
  expect(parts[0]?.[3]).not.toBe(parts[1]?.[3]);
});

test('sealing a text that UTF-8 cannot represent fails', () => {
  expect(() => vaultWith(OLD).seal('half \ud83d', CONTEXT)).toThrow('without lone surrogates');
});

test('a rotated secret opens without the old key', () => {
  const sealed = vaultWith(OLD).seal('hunter2', CONTEXT);
  const both = vaultWith(NEW, OLD);
  expect(both.open(sealed, CONTEXT)).toBe('hunter2');
  expect(both.needsRotation(sealed)).toBe(true);

  const rotated = both.rotate(sealed, CONTEXT);
  expect(rotated).toMatch(/^v1\.new\./);
  expect(both.needsRotation(rotated)).toBe(false);
  expect(both.rotate(rotated, CONTEXT)).toBe(rotated);

  const onlyNew = vaultWith(NEW);
  expect(onlyNew.open(rotated, CONTEXT)).toBe('hunter2');
  expectRefusal(() => onlyNew.open(sealed, CONTEXT), 'unknown-key');
  expectRefusal(() => vaultWith(OLD).open(rotated, CONTEXT), 'unknown-key');
});

test('after its keys were replaced, a vault seals with the new primary key and opens only with the new keys', () => {
  const vault = createVault(parseVaultKeys(OLD));
  const sealed = vault.seal('secret', CONTEXT);
  vault.replaceKeys(parseVaultKeys(`${NEW},${OLD}`));
  expect(vault.primaryKeyId).toBe('new');
  expect(vault.open(sealed, CONTEXT)).toBe('secret');
  expect(vault.needsRotation(sealed)).toBe(true);
  const rotated = vault.rotate(sealed, CONTEXT);
  vault.replaceKeys(parseVaultKeys(NEW));
  expect(vault.open(rotated, CONTEXT)).toBe('secret');
  expect(() => vault.open(sealed, CONTEXT)).toThrow('is sealed under the key "old"');
});

test('the error about a missing key names the missing key and the existing keys', () => {
  const sealed = vaultWith(OLD).seal('hunter2', CONTEXT);
  const vault = vaultWith(NEW);
  for (const act of [() => vault.open(sealed, CONTEXT), () => vault.rotate(sealed, CONTEXT)]) {
    expectRefusal(act, 'unknown-key');
    expect(refusal(act).message).toBe('the secret is sealed under the key "old", and the vault only holds new');
  }
  expect(vault.needsRotation(sealed)).toBe(true);
});

test('a secret cannot be opened with another key that has the same id', () => {
  const sealed = vaultWith(OLD).seal('hunter2', CONTEXT);
  expectRefusal(() => vaultWith(generateVaultKey('old')).open(sealed, CONTEXT), 'refused');
});

test.each(['monitor/m2/secrets', '', `${CONTEXT}/`, CONTEXT.toUpperCase()])(
  'a secret is not opened in the context %j',
  (context) => {
    const sealed = vaultWith(OLD).seal('hunter2', CONTEXT);
    expectRefusal(() => vaultWith(OLD).open(sealed, context), 'refused');
    expectRefusal(() => vaultWith(NEW, OLD).rotate(sealed, context), 'refused');
  },
);

test('a sealed secret with a changed, added or removed character does not open', () => {
  const vault = vaultWith(NEW, OLD);
  const sealed = vault.seal('hunter2', CONTEXT);
  const flips = [...sealed].flatMap((char, at) =>
    ['A', 'B', '9', '=', '.', '']
      .filter((other) => other !== char)
      .map((other) => sealed.slice(0, at) + other + sealed.slice(at + 1)),
  );
  // In the last character of a segment, the lowest bit is padding. The neighbor in the alphabet differs only in this
  // bit.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const neighbour = alphabet[alphabet.indexOf(sealed.at(-1) ?? '') ^ 1] ?? '';
  for (const altered of [...flips, sealed.slice(0, -1) + neighbour, `${sealed}=`, `${sealed} `, `${sealed}A`]) {
    expect(() => vault.open(altered, CONTEXT), altered).toThrow(VaultError);
  }
});

test('parts of two sealed secrets do not open when combined', () => {
  const vault = vaultWith(NEW, OLD);
  const [, , keyOne, textOne] = vault.seal('one', CONTEXT).split('.');
  const [, , keyTwo, textTwo] = vault.seal('two', CONTEXT).split('.');
  expectRefusal(() => vault.open(`v1.new.${keyOne}.${textTwo}`, CONTEXT), 'refused');
  expectRefusal(() => vault.open(`v1.new.${keyTwo}.${textOne}`, CONTEXT), 'refused');
  expectRefusal(() => vault.open(`v1.old.${keyOne}.${textOne}`, CONTEXT), 'refused');
  expectRefusal(() => vault.open(`v1.new.${keyOne}.${keyOne}`, CONTEXT), 'refused');
});

test.each(['', 'hunter2', 'v1', 'v1.new..', 'v1.new.AAAA.AAAA', 'v2.new.AAAA.AAAA', 'v1.new.hunter2.hunter2.hunter2'])(
  'the malformed sealed secret %j is rejected with an error that does not contain it',
  (text) => {
    const vault = vaultWith(NEW);
    for (const act of [
      () => vault.open(text, CONTEXT),
      () => vault.rotate(text, CONTEXT),
      () => vault.needsRotation(text),
    ]) {
      expectRefusal(act, 'malformed');
      expect(refusal(act).message).not.toContain('hunter2');
    }
  },
);
