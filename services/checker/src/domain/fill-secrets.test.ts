import { expect, test } from 'vitest';
import { parseHttpConfig } from '../probes/http/http-config.ts';
import { fillSecrets } from './fill-secrets.ts';

const secrets = new Map([
  ['TOKEN', "s3cret$&$'"],
  ['__proto__', 'odd'],
]);

test('secrets are filled only into header values and the body', () => {
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

test('placeholders inside the value of a secret are not expanded', () => {
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

test('a request that its secrets make too long is not filled', () => {
  const value = 'x'.repeat(8_192);
  const config = (body: string, header = '') =>
    parseHttpConfig(JSON.stringify({ url: 'https://example.com', headers: { 'x-a': header }, body }));
  const one = new Map([['A', value]]);
  expect(fillSecrets(config('{{A}}'.repeat(63), '{{A}}'), one).body).toHaveLength(63 * 8_192);
  const began = process.memoryUsage().heapUsed;
  for (const tooLong of [
    config('{{A}}'.repeat(65)),
    config('{{A}}'.repeat(64), '{{A}}'),
    config('{{A}}'.repeat(13_000)),
  ]) {
    expect(() => fillSecrets(tooLong, one)).toThrow(/^the request would be \d+ characters long .* at most 524288: /);
  }
  expect(process.memoryUsage().heapUsed - began).toBeLessThan(16_000_000);
});

test('the longest config that contains each secret once is filled', () => {
  const names = Array.from({ length: 8 }, (_, index) => `S${index}`);
  const secrets8 = new Map(names.map((name) => [name, 'x'.repeat(8_192)]));
  const headers = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x-${index}`, 'h'.repeat(8_192)]));
  const references = names.map((name) => `{{${name}}}`).join('');
  const body = references + 'b'.repeat(65_536 - references.length);
  const config = parseHttpConfig(JSON.stringify({ url: 'https://example.com', headers, body }));
  expect(fillSecrets(config, secrets8).body).toHaveLength(65_536 - references.length + 65_536);
});
