import { expect, test } from 'vitest';
import { problemOfPassword } from './new-password.ts';

const problem = (password: string) => problemOfPassword(password, 'jane@example.com');

test.each([
  ['abcdefghijk', 'must be at least 12 characters'],
  ['abcdefghijkl', undefined],
  [`${'𝄞'.repeat(5)}𝄢abcde`, 'must be at least 12 characters'],
  [`abcd${'x'.repeat(196)}`, undefined],
  [`abcd${'x'.repeat(197)}`, 'must be at most 200 characters'],
  ['Jane@Example.com', 'must not be your mail address'],
  ['abcabcabcabc', 'must not repeat the same few characters'],
  ['abcdabcdabcd', undefined],
  ['four words with spaces', undefined],
])('the problem of the new password "%s" is: %s', (password, expected) => {
  expect(problem(password)).toBe(expected);
});
