import { expect, test } from 'vitest';
import { readCursor, writeCursor } from './cursor.ts';
import { isEmail } from './is-email.ts';
import { isId } from './is-id.ts';
import { problemOfLine, problemOfProse } from './problem-of-text.ts';
import { spellDuration } from './spell-duration.ts';

test.each([
  ['x', undefined],
  [' x ', undefined],
  [' ', 'is required'],
  ['\u00a0\u3000\t', 'is required'],
  ['\u200b\u2060\ufeff\u00ad', 'is required'],
  ['\u3164\u115f\uffa0\u2800', 'is required'],
  ['\u{e0020}\ufe0f', 'is required'],
  ['\u200bx', undefined],
  ['👩\u200d🔧', undefined],
  ['·', undefined],
  ['𝄞'.repeat(255), undefined],
  ['𝄞'.repeat(256), 'must be at most 255 characters'],
  ['', 'is required'],
  ['a\nb', 'must not contain control characters'],
  ['a\u0000b', 'must not contain control characters'],
  ['a\u0085b', 'must not contain control characters'],
  ['a\u202eb', 'must not contain control characters'],
  ['a\u2066b', 'must not contain control characters'],
  ['\u05d0\u200f!', undefined],
])('the problem of the line %j is: %s', (text, problem) => {
  expect(problemOfLine(text, 255)).toBe(problem);
});

test.each([
  ['', undefined],
  ['two\nlines\tand a tab', undefined],
  ['x'.repeat(11), 'must be at most 10 characters'],
  ['a\u0007b', 'must not contain control characters'],
])('the problem of the multi-line text %j is: %s', (text, problem) => {
  expect(problemOfProse(text, text.startsWith('x') ? 10 : 100)).toBe(problem);
});

test.each([
  [0, '0 s'],
  [499, '0 s'],
  [45_000, '45 s'],
  [60_000, '1 min'],
  [90_000, '1 min 30 s'],
  [2 * 3_600_000 + 5 * 60_000 + 9_000, '2 h 5 min'],
  [3_600_000 + 30_000, '1 h'],
  [28 * 3_600_000, '1 d 4 h'],
])('%i ms is formatted as "%s"', (milliseconds, words) => {
  expect(spellDuration(milliseconds)).toBe(words);
});

test.each([
  ['01920000-0000-7000-8000-00000000C0DE', true],
  ['0192000000007000800000000000c0de', false],
  ['{01920000-0000-7000-8000-00000000c0de}', false],
  ['nonsense', false],
])('isId(%j) returns %s', (text, expected) => {
  expect(isId(text)).toBe(expected);
});

test('readCursor() returns the id in a cursor, and undefined for other texts', () => {
  const id = '01a1f905-283c-77a6-b7f9-575be3d7b01b';
  expect(readCursor(writeCursor(id) ?? '')).toBe(id);
  expect(readCursor('nonsense')).toBeUndefined();
  expect(writeCursor(undefined)).toBeUndefined();
});

test.each(['jane@example.com', 'owner@localhost', "o'brien+tag@mail.example.co.uk", 'a@1.example'])(
  '%s is a mail address',
  (text) => expect(isEmail(text)).toBe(true),
);

test.each([
  'jane',
  'jane@',
  '@example.com',
  'jane@@example.com',
  'jane doe@example.com',
  'jane@example..com',
  'jane@-example.com',
  'jane@example.com\nbcc: all@example.com',
  'Jane <jane@example.com>',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b.'.repeat(130)}example`,
])('%j is not a mail address', (text) => expect(isEmail(text)).toBe(false));
