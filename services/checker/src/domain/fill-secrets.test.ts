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
