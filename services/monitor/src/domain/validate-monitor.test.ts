import { ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, type MonitorSettings } from './monitor.ts';
import { validateMonitor } from './validate-monitor.ts';

const good: MonitorSettings = {
  ...DEFAULT_SETTINGS,
  name: 'Shop',
  checkType: 'http',
  configJson: '{"url":"https://example.com"}',
  alertChannelIds: [],
};

function problemsOf(changes: Partial<MonitorSettings>): Record<string, string[]> {
  try {
    validateMonitor({ ...good, ...changes });
    return {};
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'invalid') return error.fields;
    throw error;
  }
}

const http = (config: object) => ({ configJson: JSON.stringify({ url: 'https://example.com', ...config }) });

test.each<[string, Partial<MonitorSettings>]>([
  ['a name of one character', { name: 'x' }],
  ['a name of 255 characters outside the BMP', { name: '𝄞'.repeat(255) }],
  ['the shortest interval', { intervalSeconds: 30 }],
  ['the longest interval', { intervalSeconds: 86_400 }],
  ['the bounds of the timeout', { timeoutMs: 1000 }],
  ['no confirmation at all', { confirmDownMinutes: 0, confirmUpMinutes: 0 }],
  [
    'every http field',
    http({
      method: 'POST',
      expected_status_codes: [100, 599],
      follow_redirects: false,
      headers: { 'X-A': 'b' },
      body: 'x',
      expected_keyword: 'a',
      unexpected_keyword: 'b',
      max_response_time_ms: 1,
      verify_tls: false,
    }),
  ],
  ['a field that nobody knows', http({ comment: { any: 'thing' } })],
])('%s is fine', (_name, changes) => {
  expect(problemsOf(changes)).toEqual({});
});

test.each<[Partial<MonitorSettings>, Record<string, string[]>]>([
  [{ name: '' }, { name: ['is required'] }],
  [{ name: 'x'.repeat(256) }, { name: ['must be at most 255 characters'] }],
  [{ name: 'a\u0000b' }, { name: ['must not contain control characters'] }],
  [{ intervalSeconds: 29 }, { interval_seconds: ['must be between 30 and 86400'] }],
  [{ intervalSeconds: 86_401 }, { interval_seconds: ['must be between 30 and 86400'] }],
  [{ timeoutMs: 999 }, { timeout_ms: ['must be between 1000 and 60000'] }],
  [{ timeoutMs: 60_001 }, { timeout_ms: ['must be between 1000 and 60000'] }],
  [{ confirmDownAfter: 11 }, { confirm_down_after: ['must be between 1 and 10'] }],
  [{ configJson: '{}' }, { 'config.url': ['is required'] }],
  [
    { configJson: '{"url":"ftp://example.com"}' },
    { 'config.url': ['must be an http or https URL such as https://example.com/health'] },
  ],
  [http({ method: 'BREW' }), { 'config.method': ['must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS'] }],
  [
    http({ expected_status_codes: [200, 600] }),
    { 'config.expected_status_codes': ['must be an array of integers between 100 and 599'] },
  ],
  [
    http({ headers: { 'X-A': 'a\r\nInjected: 1' } }),
    { 'config.headers.X-A': ['must not contain line breaks or characters outside Latin-1'] },
  ],
  [http({ headers: { 'bad name': 'x' } }), { 'config.headers': ['"bad name" is not a header name'] }],
  [http({ body: 'x'.repeat(65_537) }), { 'config.body': ['must be a string of at most 65536 bytes'] }],
])('%j is refused with words for its fields', (changes, expected) => {
  expect(problemsOf(changes)).toEqual(expected);
});

test('every wrong field is named at once', () => {
  const problems = problemsOf({ name: '', intervalSeconds: 1, configJson: '{"url":1,"method":2}' });
  expect(Object.keys(problems).sort()).toEqual(['config.method', 'config.url', 'interval_seconds', 'name']);
});
