import { expect, test } from 'vitest';
import { createMask } from './mask-secrets.ts';

const mask = (text: string, secrets: Iterable<[string, string]>, maxLength = 1_000) =>
  createMask(new Map(secrets))(text, maxLength);

test.each<[string, [string, string][], string]>([
  ['no secret', [], 'no secret'],
  ["can't resolve s3cret.example.com", [['A', 'S3cret']], "can't resolve {{A}}.example.com"],
  ['at /x?t=a%20b%2Fc', [['A', 'a b/c']], 'at /x?t={{A}}'],
  [
    'abcdef',
    [
      ['SHORT', 'abc'],
      ['LONG', 'abcdef'],
    ],
    '{{LONG}}',
  ],
  [
    'abcde',
    [
      ['A', 'abc'],
      ['B', 'cde'],
    ],
    '{{A}}',
  ],
  ['abab', [['A', 'ab']], '{{A}}{{A}}'],
  ['aaaa', [['A', 'aa']], '{{A}}'],
  ['abcabcabd', [['A', 'abcabd']], 'abc{{A}}'],
  ['a.b*c axb', [['A', 'a.b*c']], '{{A}} axb'],
  ['it was -/\\^$.*+?()[]{}|', [['A', '-/\\^$.*+?()[]{}|']], 'it was {{A}}'],
  ['ünïcode', [['A', 'ÜNÏ']], '{{A}}code'],
  ['İ s3cret ẞ', [['A', 'S3CRET']], 'İ {{A}} ẞ'],
  ['𐐀bc', [['A', '𐐨BC']], '{{A}}'],
])('the text $0 is shown as $2', (text, secrets, shown) => {
  expect(mask(text, secrets)).toBe(shown);
});

test.each([
  ['without encoding', `at a"b <c> & d: no`],
  ['in a URL', `at ${encodeURIComponent('a"b <c> & d')}: no`],
  ['in the address bar form of a URL', `at ${encodeURI('a"b <c> & d')}: no`],
  ['in a form', 'at a%22b+%3Cc%3E+%26+d: no'],
  ['in JSON', 'at a\\"b <c> & d: no'],
  ['in HTML', 'at a"b &lt;c&gt; &amp; d: no'],
  ['in an HTML attribute', 'at a&quot;b &lt;c&gt; &amp; d: no'],
])('the value of a secret %s is replaced by the name of the secret', (_, text) => {
  expect(mask(text, [['KEY', 'a"b <c> & d']])).toBe('at {{KEY}}: no');
});

test('a text is cut at the maximum length, with or without secrets', () => {
  expect(mask('x'.repeat(2_000), [])).toBe('x'.repeat(1_000));
  expect(mask('x'.repeat(2_000), [['A', 'y']])).toBe('x'.repeat(1_000));
});

test.each([1, 7, 500, 999, 1_000, 1_001, 1_500, 1_999])(
  'no part of a secret that begins at position %i is shown',
  (at) => {
    const secret = Array.from({ length: 8_192 }, (_, index) => String.fromCharCode(0x4e00 + index)).join('');
    const shown = mask('-'.repeat(at) + secret, [['A', secret]]);
    expect(shown).toBe(`${'-'.repeat(at)}{{A}}`.slice(0, 1_000));
  },
);

test('a text that was not truncated is unchanged, even if its last characters are the beginning of a secret', () => {
  expect(mask('status 50', [['A', '503 something']])).toBe('status 50');
});

test('masking 50 repetitive secrets of 64 KB in total in 120,000 characters takes less than 5 s', () => {
  const value = `${'a'.repeat(655)}b${'a'.repeat(654)}`;
  const secrets = Array.from({ length: 50 }, (_, index): [string, string] => [
    `S${index}`,
    `${value}${'c'.repeat(index % 5)}`,
  ]);
  const text = 'a'.repeat(120_000);
  mask(text, secrets);
  const startedAt = performance.now();
  mask(text, secrets);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
