import { expect, test } from 'vitest';
import { parseHttpConfig } from '../probes/http/http-config.ts';
import { fillSecrets, hideSecrets } from './fill-secrets.ts';

const secrets = new Map([
  ['TOKEN', "s3cret$&$'"],
  ['__proto__', 'odd'],
]);

test('header values and the body are filled, names and everything else are not', () => {
  const config = parseHttpConfig(
    JSON.stringify({
      url: 'https://example.com/{{TOKEN}}',
      headers: { Authorization: 'Bearer {{TOKEN}}', '{{TOKEN}}': '{{__proto__}}{{ TOKEN }}{{OTHER}}' },
      body: '{"a":"{{TOKEN}}{{TOKEN}}"}',
      expected_keyword: '{{TOKEN}}',
    }),
  );
  expect(fillSecrets(config, secrets)).toEqual({
    ...config,
    headers: { Authorization: "Bearer s3cret$&$'", '{{TOKEN}}': 'odd{{ TOKEN }}{{OTHER}}' },
    body: '{"a":"s3cret$&$\'s3cret$&$\'"}',
  });
});

test('what a secret holds is not filled again', () => {
  const config = parseHttpConfig('{"url":"https://example.com","body":"{{A}}"}');
  expect(
    fillSecrets(
      config,
      new Map([
        ['A', '{{B}}'],
        ['B', 'b'],
      ]),
    ).body,
  ).toBe('{{B}}');
});

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
  ['a.b*c axb', [['A', 'a.b*c']], '{{A}} axb'],
  ['it was -/\\^$.*+?()[]{}|', [['A', '-/\\^$.*+?()[]{}|']], 'it was {{A}}'],
  ['ünïcode', [['A', 'ÜNÏ']], '{{A}}code'],
])('%s is told without its secrets', (text, secrets, told) => {
  expect(hideSecrets(text, new Map(secrets))).toBe(told);
});

test.each([
  ['as it is', `at a"b <c> & d: no`],
  ['in a URL', `at ${encodeURIComponent('a"b <c> & d')}: no`],
  ['in an address bar', `at ${encodeURI('a"b <c> & d')}: no`],
  ['in a form', 'at a%22b+%3Cc%3E+%26+d: no'],
  ['in JSON', 'at a\\"b <c> & d: no'],
  ['in HTML', 'at a"b &lt;c&gt; &amp; d: no'],
  ['in an attribute', 'at a&quot;b &lt;c&gt; &amp; d: no'],
])('a secret is hidden %s', (_, text) => {
  expect(hideSecrets(text, new Map([['KEY', 'a"b <c> & d']]))).toBe('at {{KEY}}: no');
});
