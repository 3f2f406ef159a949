import { expect, test } from 'vitest';
import { isDeeperThan } from './json-depth.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test.each([
  ['5', 0],
  ['"[[["', 0],
  ['"\\"[[["', 0],
  ['{"a":[1,{"b":2}],"c":[]}', 3],
  [nested(64), 64],
  [nested(100_000), 100_000],
])('%#: the depth of JSON is measured exactly', (json, depth) => {
  expect(isDeeperThan(json, depth)).toBe(false);
  if (depth > 0) expect(isDeeperThan(json, depth - 1)).toBe(true);
});
