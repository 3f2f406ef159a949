import type { CheckType } from '@tocsin/enums';
import { FieldErrorCollector, ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { changeSecrets } from './secrets.ts';

const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`S${n}`, 'x']));

function change(before: object, changes: object, checkType: CheckType = 'http'): object {
  const errors = new FieldErrorCollector();
  const after = changeSecrets(checkType, new Map(Object.entries(before)), new Map(Object.entries(changes)), errors);
  try {
    errors.throwIfAny();
    return Object.fromEntries(after);
  } catch (error) {
    if (error instanceof ServiceError) return error.fields;
    throw error;
  }
}

test('a change sets secrets with a value, removes secrets that are null, and keeps the others', () => {
  expect(change({ A: '1', B: '2', C: '3' }, { B: 'two', C: null, D: '4', NEVER: null })).toEqual({
    A: '1',
    B: 'two',
    D: '4',
  });
});

test.each<[string, object]>([
  ['a secret with the longest name', { [`_${'x'.repeat(63)}`]: 'v' }],
  ['a secret with a name that every JavaScript object has', { constructor: 'v', ['__proto__']: 'v' }],
  ['a secret with the longest value', { A: 'é'.repeat(4_096) }],
  ['a secret with line breaks and tabs', { A: 'a\nb\tc' }],
  ['a set of 50 secrets', named(50)],
  [
    'a set of secrets of 64 KB in total',
    Object.fromEntries([...'ABCDEFGH'].map((letter) => [letter, 'x'.repeat(8_192)])),
  ],
])('changeSecrets() accepts %s', (_, secrets) => {
  expect(change({}, secrets)).toEqual(secrets);
});

const name = (text: string) =>
  `can't have the name "${text}": letters, digits and _, at most 64, no digit at the start`;

test.each<[object, object]>([
  [{ '1A': 'x' }, { secrets: [name('1A')] }],
  [{ 'A-B': 'x' }, { secrets: [name('A-B')] }],
  [{ '': 'x' }, { secrets: [name('')] }],
  [{ ['x'.repeat(65)]: 'x' }, { secrets: [name('x'.repeat(64))] }],
  [{ A: '' }, { 'secrets.A': ['must be a string of 1 to 8192 bytes'] }],
  [{ A: `${'é'.repeat(4_096)}x` }, { 'secrets.A': ['must be a string of 1 to 8192 bytes'] }],
  [{ A: 'x\ud800' }, { 'secrets.A': ['must be valid Unicode'] }],
  [named(51), { secrets: ['must be at most 50 in all'] }],
])("the secrets %j are rejected, with errors that don't contain values", (secrets, errors) => {
  expect(change({}, secrets)).toEqual(errors);
});

test('the 64 KB limit includes the secrets that are already stored', () => {
  const full = Object.fromEntries([...'ABCDEFGH'].map((letter) => [letter, 'x'.repeat(8_192)]));
  expect(change(full, { ONE_MORE: 'x' })).toEqual({
    secrets: ['must be at most 65536 bytes in sum, and would be 65537'],
  });
  expect(change(full, { ONE_MORE: 'x', A: null })).toHaveProperty('ONE_MORE');
});

test('the limit of 50 secrets includes the secrets that are already stored', () => {
  expect(change(named(50), { ONE_MORE: 'x' })).toEqual({ secrets: ['must be at most 50 in all'] });
  expect(change(named(50), { ONE_MORE: 'x', S0: null })).toHaveProperty('ONE_MORE');
});

test.each<CheckType>(['tcp', 'dns', 'heartbeat'])("a %s monitor can't have secrets", (checkType) => {
  const words = `are for http and synthetic monitors only; this one is of type ${checkType}`;
  expect(change({}, { A: 'x' }, checkType)).toEqual({ secrets: [words] });
  expect(change({}, {}, checkType)).toEqual({});
  expect(change({}, { A: 'x' }, 'synthetic')).toEqual({ A: 'x' });
});
