import { expect, test } from 'vitest';
import { excerptOf, MAX_EXCERPT } from './excerpt.ts';

test.each([
  ['ok', 'ok'],
  ['  \n', undefined],
  ['', undefined],
  ['a\u0000b', 'a\ufffdb'],
  ['you sent s3cret and s3cret', 'you sent [secret] and [secret]'],
  ['x'.repeat(MAX_EXCERPT), 'x'.repeat(MAX_EXCERPT)],
  ['x'.repeat(MAX_EXCERPT + 1), `${'x'.repeat(MAX_EXCERPT)}…`],
  [`${'x'.repeat(MAX_EXCERPT - 1)}😀`, `${'x'.repeat(MAX_EXCERPT - 1)}…`],
])('the body %j is shown as %j', (body, shown) => {
  expect(excerptOf(body, ['s3cret', ''])).toBe(shown);
});

test('a secret at the end of the excerpt is removed completely', () => {
  expect(excerptOf(`${'x'.repeat(MAX_EXCERPT - 3)}s3cret`, ['s3cret'])).not.toContain('s3c');
});
