import { expect, test } from 'vitest';
import {
  BUILT_IN_CLIENT,
  isClientId,
  parseClients,
  parseRegistration,
  problemOfRedirectUri,
  problemsOfClient,
} from './client.ts';

test.each([
  'https://app.example.com/callback',
  'http://127.0.0.1/callback',
  'http://[::1]:8080/',
  'http://localhost/x?y=z',
  'com.example.app:/callback',
  'com.example.app://Callback/x',
  'https://a-1.EXAMPLE.com:8443/x;y,z',
  'https://bücher.example.com/',
  'https://[2001:db8::1]/',
  'https://192.0.2.1/',
  `https://example.com/${'x'.repeat(480)}`,
])('%s is accepted as a redirect URI', (uri) => {
  expect(problemOfRedirectUri(uri)).toBeUndefined();
});

test.each([
  ['http://example.com/', 'must be an https URL'],
  ['http://127.0.0.1.example.com/', 'must be an https URL'],
  ['javascript:alert(1)', 'must be an https URL'],
  ['file:///etc/passwd', 'must be an https URL'],
  ['myapp:/callback', 'must be an https URL'],
  ['/callback', 'must be an https URL'],
  ['https://example.com/\\x', 'must be an https URL'],
  [`https://example.com/${'x'.repeat(481)}`, 'must be an https URL'],
  ['https://example.com/#x', 'must not have a fragment'],
  ['https://example.com@evil.example.net/', 'must not contain a user name or password'],
  ['https://a;b.example.com/', 'must have a host of letters'],
  ['https://a,b.example.com/', 'must have a host of letters'],
  ['https://*.example.com/', 'must have a host of letters'],
  ["https://a'b.example.com/", 'must have a host of letters'],
  ['https://a_b.example.com/', 'must have a host of letters'],
  ['com.example.app://a;b/', 'must have a host of letters'],
])('%s is refused as a redirect URI with the error: %s', (uri, problem) => {
  expect(problemOfRedirectUri(uri)).toContain(problem);
});

test.each([
  ['a', true],
  [' ~', true],
  ['x'.repeat(100), true],
  ['', false],
  ['x'.repeat(101), false],
  ['\0', false],
  ['a\n', false],
  ['\x7f', false],
  ['é', false],
])('isClientId(%j) returns %s', (text, expected) => {
  expect(isClientId(text)).toBe(expected);
});

test('the built-in client has no problems', () => {
  expect(problemsOfClient(BUILT_IN_CLIENT)).toEqual([]);
});

test('a configured client gets the grant types that its redirect URIs permit', () => {
  const text = JSON.stringify([
    { client_id: 'a', client_name: 'A' },
    { client_id: 'b', client_name: 'B', redirect_uris: ['https://b.example.com/'] },
    { client_id: 'c', client_name: 'C', redirect_uris: ['http://127.0.0.1/'], grant_types: ['authorization_code'] },
  ]);
  const device = 'urn:ietf:params:oauth:grant-type:device_code';
  expect(parseClients(text)).toEqual([
    { id: 'a', name: 'A', redirectUris: [], grantTypes: ['refresh_token', device] },
    {
      id: 'b',
      name: 'B',
      redirectUris: ['https://b.example.com/'],
      grantTypes: ['authorization_code', 'refresh_token', device],
    },
    { id: 'c', name: 'C', redirectUris: ['http://127.0.0.1/'], grantTypes: ['authorization_code'] },
  ]);
  expect(parseClients('[]')).toEqual([]);
});

test.each([
  ['{', 'must be JSON: '],
  ['{}', 'must be a JSON list of objects'],
  ['[1]', 'must be a JSON list of objects'],
  ['[{}]', 'client 1: client_id must have 1 to 100 letters'],
  ['[{"client_id":"a b","client_name":"A"}]', 'client 1: client_id must have 1 to 100 letters'],
  ['[{"client_id":"tocsin-cli","client_name":"A"}]', 'client 1: client_id tocsin-cli is built in'],
  ['[{"client_id":"a","client_name":"A"},{"client_id":"a","client_name":"A"}]', 'client 2: client_id a is used twice'],
  ['[{"client_id":"a"}]', 'client 1: client_name '],
  ['[{"client_id":"a","client_name":"A","secret":"x"}]', 'client 1: secret is not one of client_id'],
  ['[{"client_id":"a","client_name":"A","redirect_uris":["x"]}]', 'client 1: redirect_uris: "x" must be an https URL'],
  ['[{"client_id":"a","client_name":"A","grant_types":[]}]', 'client 1: grant_types must name at least one'],
  [
    '[{"client_id":"a","client_name":"A","grant_types":["password"]}]',
    'client 1: grant_types: "password" is not one of',
  ],
  [
    '[{"client_id":"a","client_name":"A","grant_types":["authorization_code"]}]',
    'client 1: redirect_uris must contain a URI for the grant type authorization_code',
  ],
])('the configuration %s is refused with the error: %s', (text, message) => {
  expect(() => parseClients(text)).toThrow(message);
});

test('all problems of a configuration are reported at once', () => {
  expect(() => parseClients('[{"client_id":"a","grant_types":["x"]},{}]')).toThrow(
    /client 1: client_name .*client 1: grant_types.*client 2: client_id/,
  );
});

test('a client has at most 10 redirect URIs, which are all for web apps or all for native apps, and a name of at most 100 characters', () => {
  const client = (changes: object) => problemsOfClient({ ...BUILT_IN_CLIENT, ...changes });
  const uris = (count: number) => Array.from({ length: count }, (_, index) => `https://example.com/${index}`);
  expect(client({ redirectUris: uris(10), name: 'x'.repeat(100) })).toEqual([]);
  expect(client({ redirectUris: uris(11) })).toEqual(['redirect_uris must have at most 10 items']);
  expect(client({ name: 'x'.repeat(101) })).toEqual([expect.stringMatching(/^client_name /)]);
  expect(client({ name: 'two\nlines' })).toEqual([expect.stringMatching(/^client_name /)]);
  expect(client({ redirectUris: ['https://example.com/', 'http://localhost/'] })).toEqual([
    'redirect_uris must be either all of the web or all of native apps',
  ]);
});

test('a registration without a name is named after the host of its redirect URI', () => {
  const named = (request: object) => {
    const parsed = parseRegistration(request);
    return 'client' in parsed ? parsed.client.name : parsed.problems;
  };
  expect(named({ redirect_uris: ['https://app.example.com/x'] })).toBe('app.example.com');
  expect(named({ redirect_uris: ['com.example.app:/x'] })).toBe('Unnamed client');
  expect(named({ client_name: 'Tool', redirect_uris: ['https://app.example.com/x'] })).toBe('Tool');
  expect(named({ client_name: 7, redirect_uris: ['https://app.example.com/x'] })).toEqual([
    expect.stringMatching(/^client_name /),
  ]);
});

test.each([undefined, null, [], 'x'])('the registration %j is refused, because it is not a JSON object', (request) => {
  expect(parseRegistration(request)).toEqual({ problems: ['the body must be a JSON object'] });
});
