import { expect, test } from 'vitest';
import { cutErrorText } from './error-text.ts';

test('an error text of 1,000 characters stays unchanged, and a longer text is truncated', () => {
  expect(cutErrorText('x'.repeat(1_000))).toBe('x'.repeat(1_000));
  expect(cutErrorText('x'.repeat(1_001))).toBe(`${'x'.repeat(999)}…`);
});

test('truncation does not split a character that has two code units', () => {
  expect(cutErrorText('𝄞'.repeat(600)).isWellFormed()).toBe(true);
});
