import { expect, test } from 'vitest';
import {
  findRetired,
  findSigner,
  isRotationDue,
  KEPT_AFTER_MS,
  PUBLISHED_AHEAD_MS,
  ROTATE_AFTER_MS,
} from './signing-key-schedule.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number) => new Date(start + ms);
const [old, fresh] = [
  { id: 'old', createdAt: at(0) },
  { id: 'fresh', createdAt: at(ROTATE_AFTER_MS) },
];
const keys = [fresh, old];
const since = (ms: number) => at(ROTATE_AFTER_MS + ms);

test('the first key signs immediately', () => {
  expect(findSigner([old], at(0))).toBe(old);
  expect(findSigner([], at(0))).toBeUndefined();
});

test('a new key is published for a minute before it signs', () => {
  expect(findSigner(keys, since(PUBLISHED_AHEAD_MS - 1))).toBe(old);
  expect(findSigner(keys, since(PUBLISHED_AHEAD_MS))).toBe(fresh);
});

test('a key is created if no key exists or the newest is 30 days old', () => {
  expect(isRotationDue([], at(0))).toBe(true);
  expect(isRotationDue([old], at(ROTATE_AFTER_MS - 1))).toBe(false);
  expect(isRotationDue([old], at(ROTATE_AFTER_MS))).toBe(true);
  expect(isRotationDue(keys, at(ROTATE_AFTER_MS))).toBe(false);
});

test('a key stays published until the last token that it signed has expired', () => {
  const retiredAt = PUBLISHED_AHEAD_MS + KEPT_AFTER_MS;
  expect(findRetired(keys, since(retiredAt - 1))).toEqual([]);
  expect(findRetired(keys, since(retiredAt))).toEqual([old]);
  expect(findRetired([old], since(retiredAt))).toEqual([]);
});
