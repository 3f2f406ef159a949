import { expect, test } from 'vitest';
import { MAX_ITEMS_IN_ALL, sizeViolations } from './array-sizes.ts';
import { fieldErrors, MAX_FINDINGS } from './field-errors.ts';

const schema = {
  properties: {
    ids: { maxItems: 3, items: {} },
    secrets: { maxProperties: 2, additionalProperties: {} },
    config: { additionalProperties: true },
    groups: { maxItems: 500, items: { properties: { parts: { maxItems: 500, items: { properties: { name: {} } } } } } },
  },
};
const found = (value: unknown) => fieldErrors(sizeViolations(schema, value));

test('arrays and objects within their bounds are accepted', () => {
  expect(found({ ids: [1, 2, 3], secrets: { a: 1, b: 2 }, config: { a: 1, b: 2, c: 3 }, more: [1, 2, 3, 4] })).toEqual(
    {},
  );
  expect(found(null)).toEqual({});
  expect(found({ ids: 'text', groups: [5, { parts: 'text' }] })).toEqual({});
});

test('arrays and objects beyond their bounds are reported by path', () => {
  expect(found({ ids: [1, 2, 3, 4], secrets: { a: 1, b: 2, c: 3 } })).toEqual({
    ids: ['must have at most 3 items'],
    secrets: ['must have at most 2 members'],
  });
  expect(found({ groups: [{ parts: Array(501).fill(0) }] })).toEqual({
    'groups.0.parts': ['must have at most 500 items'],
  });
});

test('nested arrays within their own bounds are refused if they have too many items in total', () => {
  const groups = (count: number) => Array.from({ length: count }, () => ({ parts: Array(499).fill(0) }));
  expect(MAX_ITEMS_IN_ALL).toBe(10_000);
  expect(found({ groups: groups(20) })).toEqual({});
  expect(found({ groups: groups(21) })).toEqual({ body: ['must have at most 10000 list items in all'] });
});

test.each([
  ['a\0b', 'must not contain control characters'],
  ['\ud800', 'must be valid Unicode'],
  ['x\udfff', 'must be valid Unicode'],
])('the string %j is refused because of invalid characters', (text, reason) => {
  const message = [reason];
  expect(found({ secrets: { a: text } })).toEqual({ 'secrets.a': message });
  expect(found({ groups: [{ parts: [{ name: text }] }] })).toEqual({ 'groups.0.parts.0.name': message });
  // Free-form values are not checked here, because they are stored as text and checked by their service.
  expect(found({ config: { a: text } })).toEqual({});
});

test('at most 100 findings are collected', () => {
  const groups = [{ parts: Array.from({ length: 500 }, () => ({ name: '\0' })) }];
  expect(sizeViolations(schema, { groups })).toHaveLength(MAX_FINDINGS);
});

test('fields such as `constructor` and `__proto__`, whose names every object inherits, have no size limits', () => {
  expect(found(JSON.parse('{"__proto__": {"ids": [1]}, "constructor": [], "toString": "\\u0000"}'))).toEqual({});
});
