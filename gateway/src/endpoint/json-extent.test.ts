import { expect, test } from 'vitest';
import { MAX_BODY_DEPTH, MAX_BODY_VALUES, problemOfExtent } from './json-extent.ts';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const list = (count: number) => `[${Array(count).fill('0').join(',')}]`;

test('a body nested 64 levels deep is accepted, and 65 levels are refused', () => {
  expect(problemOfExtent(nested(MAX_BODY_DEPTH))).toBeUndefined();
  expect(problemOfExtent(nested(MAX_BODY_DEPTH + 1))).toBe('must not be nested deeper than 64 levels');
});

test('a body with 100,000 values is accepted, and one more value is refused', () => {
  expect(problemOfExtent(list(MAX_BODY_VALUES))).toBeUndefined();
  expect(problemOfExtent(list(MAX_BODY_VALUES + 1))).toBe('must have at most 100000 list items and fields in all');
});

test.each([`"${'['.repeat(100)}"`, `"\\"${'['.repeat(100)}"`, `"${','.repeat(100_000)}"`, `"\\\\",[]`])(
  'brackets and commas in strings do not count (case %#)',
  (json) => expect(problemOfExtent(json)).toBeUndefined(),
);

test('closed arrays do not count towards the nesting depth', () => {
  expect(problemOfExtent(`[${Array(1_000).fill(nested(10)).join(',')}]`)).toBeUndefined();
});
