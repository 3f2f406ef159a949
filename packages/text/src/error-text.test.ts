import { expect, test } from 'vitest';
import { cutErrorText } from './error-text.ts';

test('an error text of 1,000 characters is kept, and a longer one is cut', () => {
  expect(cutErrorText('x'.repeat(1_000))).toBe('x'.repeat(1_000));
  expect(cutErrorText('x'.repeat(1_001))).toBe(`${'x'.repeat(999)}…`);
});

test('a character of two code units is not cut in half', () => {
  expect(cutErrorText('𝄞'.repeat(600)).isWellFormed()).toBe(true);
});
