import type { CheckType } from '@tocsin/enums';
import { FieldErrorCollector, ServiceError } from '@tocsin/errors';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from './monitor.ts';
import { validateConfig } from './validate-config.ts';

/** Returns the error messages of a config by field. */
function problemsOf(
  checkType: CheckType,
  config: unknown,
  secretNames: string[] = [],
  before?: { readonly configJson: string },
): Record<string, string[]> {
  const errors = new FieldErrorCollector();
  const configJson = JSON.stringify(config);
  const settings = { ...DEFAULT_SETTINGS, name: 'x', checkType, configJson, alertChannelIds: [], secretNames };
  validateConfig(settings, errors, before);
  try {
    errors.throwIfAny();
    return {};
  } catch (error) {
    if (error instanceof ServiceError) return error.fields;
    throw error;
  }
}

/** A valid config of each type with the required fields. */
const GOOD: Record<CheckType, object> = {
  http: { url: 'https://example.com' },
  tcp: { host: 'db.example.com', port: 5432 },
  dns: { host: 'example.com' },
  heartbeat: {},
  synthetic: { script: 'await page.goto("https://example.com")' },
};

const boolean = 'must be true or false';
const host = 'must be a host name or an IP address such as shop.example.com, without a scheme or a port';
const nameserver = 'must be an IP address with an optional port such as 192.0.2.53:53';
const methods = 'must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS';
const codes = 'must be an array of integers between 100 and 599';
const records = 'must be one of A, AAAA, CNAME, MX, TXT, NS, SOA, SRV, CAA, PTR';
const milliseconds = 'must be a positive integer (milliseconds)';
const bytes = (max: number) => `must be a string of at most ${max} bytes`;
const between = (min: number, max: number) => `must be an integer between ${min} and ${max}`;
const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'y']));

/** Config fields, each with valid values, invalid values, and the error for the invalid ones. */
const FIELDS: [CheckType, field: string, good: unknown[], bad: unknown[], words: string][] = [
  [
    'http',
    'method',
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
    ['get', 'TRACE', ['GET'], null],
    methods,
  ],
  ['http', 'expected_status_codes', [[], [100, 599]], [[99], [600], [200.5], ['200'], 200], codes],
  ['http', 'follow_redirects', [true, false], [0, 'true', null], boolean],
  ['http', 'verify_tls', [true, false], [1, 'no'], boolean],
  ['http', 'body', ['', 'é'.repeat(32_768)], [`${'é'.repeat(32_768)}x`, {}], bytes(65_536)],
  ['http', 'expected_keyword', ['', 'é'.repeat(500)], [`${'é'.repeat(500)}x`, 1], bytes(1_000)],
  ['http', 'unexpected_keyword', ['x'.repeat(1_000)], ['x'.repeat(1_001), true], bytes(1_000)],
  ['http', 'max_response_time_ms', [1, 60_000], [0, -1, 1.5, '1'], milliseconds],
  ['http', 'headers', [{}, headers(20)], [headers(21)], 'must have at most 20 entries'],
  ['http', 'headers', [{ 'X-A': 'b' }], [[], 'x', null], 'must be an object of header names and values'],
  ['http', 'headers', [{ "!#$%&'*+-.^_`|~09azAZ": 'x' }], [{ 'bad name': 'x' }], '"bad name" is not a header name'],
  [
    'http',
    'headers.X-A',
    [{ 'X-A': '' }, { 'X-A': 'ÿ\t'.repeat(2_730) }].map(inHeaders),
    [{ 'X-A': 'y'.repeat(8_193) }, { 'X-A': 1 }].map(inHeaders),
    bytes(8_192),
  ],
  [
    'http',
    'headers.X-A',
    [{ 'X-A': 'a b' }].map(inHeaders),
    ['a\r\nB: 1', 'a\nb', 'a\0', 'Ā'].map((value) => inHeaders({ 'X-A': value })),
    'must not contain line breaks or characters outside Latin-1',
  ],
  [
    'tcp',
    'host',
    ['a', '192.0.2.1', '2001:db8::1', 'x.example.', 'mail_1.example'],
    ['', 1, null, 'http://a', 'a:1', 'a b', '[::1]', 'a/b', 'x'.repeat(254)],
    host,
  ],
  ['tcp', 'port', [1, 65_535], [0, 65_536, 1.5, '80', null], between(1, 65_535)],
  ['tcp', 'tls', [true, false], ['yes'], boolean],
  ['dns', 'host', ['example.com', '_dmarc.example.com', '192.0.2.1'], ['', 5, 'dns://a'], host],
  [
    'dns',
    'record_type',
    ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SOA', 'SRV', 'CAA', 'PTR'],
    ['a', 'ANY', 1],
    records,
  ],
  [
    'dns',
    'nameserver',
    ['192.0.2.53', '192.0.2.53:1', '192.0.2.53:65535', '2001:db8::53', '[2001:db8::53]:53'],
    ['ns.example.com', '192.0.2.53:0', '192.0.2.53:65536', '256.0.0.1', '1.2.3', '[192.0.2.53]:53', '', 53],
    nameserver,
  ],
  [
    'dns',
    'expected_records',
    [[], ['192.0.2.1', '10 mx.example.com']],
    ['192.0.2.1', [1], {}],
    'must be an array of strings',
  ],
  ['heartbeat', 'expected_interval', [10, 86_400], [9, 86_401, 10.5, '60', null], between(10, 86_400)],
  ['heartbeat', 'consecutive_misses', [1, 10], [0, 11, '2'], between(1, 10)],
  [
    'synthetic',
    'script',
    ['x', 'é'.repeat(32_768)],
    ['', `${'é'.repeat(32_768)}x`, 1, null],
    'must be a string of 1 to 65536 bytes',
  ],
];

/** Returns a config with these headers. Used for the rows of FIELDS whose field is `headers.<name>`. */
function inHeaders(headers: object): { readonly headers: object } {
  return { headers };
}

describe.each(FIELDS)('check type %s, field config.%s', (checkType, field, good, bad, words) => {
  const configWith = (value: unknown) => ({
    ...GOOD[checkType],
    ...(field.includes('.') ? Object(value) : { [field]: value }),
  });

  test('valid values of the field are accepted', () => {
    for (const value of good) expect(problemsOf(checkType, configWith(value)), JSON.stringify(value)).toEqual({});
  });

  test(`invalid values of the field are rejected with the error "${words}"`, () => {
    for (const value of bad) {
      expect(problemsOf(checkType, configWith(value)), JSON.stringify(value)).toEqual({ [`config.${field}`]: [words] });
    }
  });
});

test.each(['http://a', 'https://[::1]:8443/x?y=z', 'https://xn--mnchen-3ya.example'])('config.url can be %s', (url) => {
  expect(problemsOf('http', { url })).toEqual({});
});

const example = 'must be an http or https URL such as https://example.com/health';
const noUser =
  'must not contain a user name or password, because the URL is shown: use the header Authorization with a secret';

test.each([
  [1, 'must be a string such as https://example.com/health'],
  [null, 'must be a string such as https://example.com/health'],
  [`https://a/${'x'.repeat(8_192)}`, 'must be at most 8192 characters'],
  ['', `${example}: it must begin with http:// or https://`],
  ['a.b', `${example}: it must begin with http:// or https://`],
  ['ftp://a', `${example}: it must begin with http:// or https://`],
  ['https:a', `${example}: it must begin with http:// or https://`],
  ['http://', `${example}: it has no host`],
  [' https://a', 'must not contain white space or control characters'],
  ['https://a\nb', 'must not contain white space or control characters'],
  ['https://a\\b', 'must not contain a backslash'],
  [
    'https://münchen.example',
    'must have a host that all programs read in the same way: xn--mnchen-3ya.example instead of münchen.example',
  ],
  ['https://a:99999', 'must have a port between 1 and 65535, or none'],
  ['https://me:pw@a', noUser],
  ['https://me@a', noUser],
])('config.url can not be %j: it %s', (url, problem) => {
  expect(problemsOf('http', { url })).toEqual({ 'config.url': [problem] });
});

test.each<[CheckType, string[]]>([
  ['http', ['config.url']],
  ['tcp', ['config.host', 'config.port']],
  ['dns', ['config.host']],
  ['heartbeat', []],
  ['synthetic', ['config.script']],
])('the required config fields of check type %s are %j', (checkType, missing) => {
  expect(problemsOf(checkType, {})).toEqual(Object.fromEntries(missing.map((field) => [field, ['is required']])));
  expect(
    problemsOf(checkType, { __proto__: null, constructor: 1, unknown: { deep: [1] }, ...GOOD[checkType] }),
  ).toEqual({});
});

test.each([null, [], 'x', 1])('the JSON value %j is rejected as a config', (config) => {
  expect(problemsOf('tcp', config)).toEqual({ config: ['must be an object'] });
});

test('headers that a check would not send are refused', () => {
  const headers = {
    'X-A': '1',
    'x-a': '2',
    'Content-Length': '5',
    'transfer-encoding': 'chunked',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
  };
  expect(problemsOf('http', { ...GOOD.http, headers })).toEqual({
    'config.headers.x-a': ['is the same header as X-A: the case of a name does not matter'],
    'config.headers.Content-Length': ["can't be set: each check sets it for its body"],
    'config.headers.transfer-encoding': ["can't be set: each check sets it for its body"],
  });
});

test('headers that were saved before they were refused stay valid until the config is changed', () => {
  const config = { ...GOOD.http, headers: { 'Content-Length': '5' } };
  expect(problemsOf('http', config, [], { configJson: JSON.stringify(config) })).toEqual({});
  expect(
    Object.keys(problemsOf('http', { ...config, method: 'GET' }, [], { configJson: JSON.stringify(config) })),
  ).toEqual(['config.headers.Content-Length']);
});

test('secrets that headers or the body refer to must exist, and other text in braces is literal', () => {
  const config = {
    url: 'https://example.com/%7B%7BNOT_HERE%7D%7D',
    headers: { Authorization: 'Bearer {{TOKEN}}', 'X-Other': '{{ TOKEN }} {{1}} {{a-b}} {{}}' },
    body: '{{TOKEN}}{{_2}}{{_2}}',
  };
  expect(problemsOf('http', config, ['TOKEN', '_2'])).toEqual({});
  expect(problemsOf('http', config, ['token'])).toEqual({
    'config.headers.Authorization': ['refers to the secret TOKEN, which this monitor does not have'],
    'config.body': [
      'refers to the secret TOKEN, which this monitor does not have',
      'refers to the secret _2, which this monitor does not have',
    ],
  });
});

/** Returns a host name of the given length, with labels of at most 63 characters. */
function hostOfLength(length: number): string {
  const labels = `${'a'.repeat(63)}.`.repeat(4);
  return `${labels.slice(0, length - 3)}${labels[length - 4] === '.' ? 'a' : '.'}bc`.slice(-length);
}

test.each([
  ['url', 'http', (name: string) => ({ url: `https://${name}/` })],
  ['host', 'tcp', (name: string) => ({ host: name, port: 443 })],
  ['host', 'dns', (name: string) => ({ host: name })],
] as const)(
  'config.%s of check type %s can be a host name of 253 characters, but not of 254',
  (field, checkType, config) => {
    const [longest, longer] = [hostOfLength(253), hostOfLength(254)];
    expect([longest.length, longer.length]).toEqual([253, 254]);
    expect(problemsOf(checkType, config(longest))).toEqual({});
    expect(Object.keys(problemsOf(checkType, config(longer)))).toEqual([`config.${field}`]);
  },
);
