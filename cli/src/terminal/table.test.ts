import { expect, test } from 'vitest';
import { table } from './table.ts';

test('columns are aligned even with wide characters', () => {
  expect(
    table(
      ['NAME', 'STATE'],
      [
        ['店', 'up'],
        ['Shop', 'down'],
        ['🚀 x', 'up'],
      ],
    ),
  ).toBe('NAME  STATE\n店    up\nShop  down\n🚀 x  up\n');
});

test('the widest column is cut to the width of the terminal', () => {
  const text = table(['NAME', 'ID'], [['a very long name of a monitor', '12345678']], 20);
  expect(text).toBe('NAME        ID\na very lo…  12345678\n');
});

test('a wide character is not cut in half', () => {
  expect(table(['NAME'], [['店店店店店店']], 8)).toBe('NAME\n店店店…\n');
});

test('control characters and line breaks in names are replaced', () => {
  expect(table(['NAME'], [['a\u001b[2Jb\nc\u202ed']])).toBe('NAME\na�[2Jb c�d\n');
});
