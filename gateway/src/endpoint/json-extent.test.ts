import { expect, test } from 'vitest';
import { MAX_BODY_DEPTH, MAX_BODY_VALUES, problemOfExtent } from './json-extent.ts';

const problemOf = (json: string) => problemOfExtent(Buffer.from(json));
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const list = (count: number) => `[${Array(count).fill('0').join(',')}]`;

test('a body nested 64 levels deep is accepted, and 65 levels are refused', () => {
  expect(problemOf(nested(MAX_BODY_DEPTH))).toBeUndefined();
  expect(problemOf(nested(MAX_BODY_DEPTH + 1))).toBe('must not be nested deeper than 64 levels');
});

test('a body with 100,000 values is accepted, and one more value is refused', () => {
  expect(problemOf(list(MAX_BODY_VALUES))).toBeUndefined();
  expect(problemOf(list(MAX_BODY_VALUES + 1))).toBe('must have at most 100000 list items and fields in all');
});

test.each([
  `"${'['.repeat(100)}"`,
  `"\\"${'['.repeat(100)}"`,
  `"${','.repeat(100_000)}"`,
  `"\\\\",[]`,
  `"é😀${'['.repeat(100)}"`,
])('brackets and commas in strings do not count (case %#)', (json) => expect(problemOf(json)).toBeUndefined());

test('closed arrays do not count towards the nesting depth', () => {
  expect(problemOf(`[${Array(1_000).fill(nested(10)).join(',')}]`)).toBeUndefined();
});
