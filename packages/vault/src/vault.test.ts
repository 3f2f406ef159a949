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

test('any text in any context is opened as it was sealed', () => {
  const vault = vaultWith(NEW, OLD);
  const unicode = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(unicode, unicode, (plaintext, context) => {
      expect(vault.open(vault.seal(plaintext, context), context)).toBe(plaintext);
    }),
  );
});

test('a long text is opened unchanged', () => {
  const vault = vaultWith(OLD);
  const long = 'Glocke 🔔 '.repeat(100_000);
  expect(vault.open(vault.seal(long, CONTEXT), CONTEXT)).toBe(long);
});

test('sealing says the version and the primary key, hides the text, and never gives the same twice', () => {
  const vault = vaultWith(NEW, OLD);
  const sealed = vault.seal('hunter2', CONTEXT);
  expect(sealed).toMatch(/^v1\.new\.[\w-]{80}\.[\w-]+$/);
  expect(sealed).not.toContain(Buffer.from('hunter2').toString('base64url').slice(0, 8));
  const parts = [sealed, vault.seal('hunter2', CONTEXT)].map((text) => text.split('.'));
  expect(parts[0]?.[2]).not.toBe(parts[1]?.[2]);
  expect(parts[0]?.[3]).not.toBe(parts[1]?.[3]);
});

test("a text that UTF-8 can't represent is refused", () => {
  expect(() => vaultWith(OLD).seal('half \ud83d', CONTEXT)).toThrow('without lone surrogates');
});

test('a secret moves from the old key to the new one, and opens when the old one is gone', () => {
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

test('a missing key is named, together with those that are there', () => {
  const sealed = vaultWith(OLD).seal('hunter2', CONTEXT);
  const vault = vaultWith(NEW);
  for (const act of [() => vault.open(sealed, CONTEXT), () => vault.rotate(sealed, CONTEXT)]) {
    expectRefusal(act, 'unknown-key');
    expect(refusal(act).message).toBe('the secret is sealed under the key "old", and the vault only holds new');
  }
  expect(vault.needsRotation(sealed)).toBe(true);
});

test('another key under the same id does not open', () => {
  const sealed = vaultWith(OLD).seal('hunter2', CONTEXT);
  expectRefusal(() => vaultWith(generateVaultKey('old')).open(sealed, CONTEXT), 'refused');
});

test.each(['monitor/m2/secrets', '', `${CONTEXT}/`, CONTEXT.toUpperCase()])(
  'a secret stays closed for %j',
  (context) => {
    const sealed = vaultWith(OLD).seal('hunter2', CONTEXT);
    expectRefusal(() => vaultWith(OLD).open(sealed, context), 'refused');
    expectRefusal(() => vaultWith(NEW, OLD).rotate(sealed, context), 'refused');
  },
);

test('no character of a sealed secret can be changed, added or removed', () => {
  const vault = vaultWith(NEW, OLD);
  const sealed = vault.seal('hunter2', CONTEXT);
  const flips = [...sealed].flatMap((char, at) =>
    ['A', 'B', '9', '=', '.', '']
      .filter((other) => other !== char)
      .map((other) => sealed.slice(0, at) + other + sealed.slice(at + 1)),
  );
  // The next letter of the alphabet differs in the lowest bits, which the last character of a segment does not use.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const neighbour = alphabet[alphabet.indexOf(sealed.at(-1) ?? '') ^ 1] ?? '';
  for (const altered of [...flips, sealed.slice(0, -1) + neighbour, `${sealed}=`, `${sealed} `, `${sealed}A`]) {
    expect(() => vault.open(altered, CONTEXT), altered).toThrow(VaultError);
  }
});

test('parts of two sealed secrets do not open together', () => {
  const vault = vaultWith(NEW, OLD);
  const [, , keyOne, textOne] = vault.seal('one', CONTEXT).split('.');
  const [, , keyTwo, textTwo] = vault.seal('two', CONTEXT).split('.');
  expectRefusal(() => vault.open(`v1.new.${keyOne}.${textTwo}`, CONTEXT), 'refused');
  expectRefusal(() => vault.open(`v1.new.${keyTwo}.${textOne}`, CONTEXT), 'refused');
  expectRefusal(() => vault.open(`v1.old.${keyOne}.${textOne}`, CONTEXT), 'refused');
  expectRefusal(() => vault.open(`v1.new.${keyOne}.${keyOne}`, CONTEXT), 'refused');
});

test.each(['', 'hunter2', 'v1', 'v1.new..', 'v1.new.AAAA.AAAA', 'v2.new.AAAA.AAAA', 'v1.new.hunter2.hunter2.hunter2'])(
  '%j is no sealed secret, and is not repeated in the error',
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
