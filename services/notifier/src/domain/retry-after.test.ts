import { expect, test } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const now = new Date('2026-11-20T10:00:00Z');

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['Fri, 20 Nov 2026 10:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('the header "%s" means a wait of %s ms', (header, expected) => {
  expect(parseRetryAfter(header, now)).toBe(expected);
});
