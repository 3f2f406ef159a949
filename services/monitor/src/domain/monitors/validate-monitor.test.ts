import { FieldErrorCollector, ServiceError } from '@tocsin/errors';
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

function problemsOf(changes: Partial<MonitorSettings>, before?: MonitorSettings): Record<string, string[]> {
  try {
    const errors = new FieldErrorCollector();
    validateMonitor({ ...good, ...changes }, errors, before);
    errors.throwIfAny();
    return {};
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'invalid') return error.fields;
    throw error;
  }
}

test.each<[string, Partial<MonitorSettings>]>([
  ['a name of one character', { name: 'x' }],
  ['a name of 255 characters outside the BMP', { name: '𝄞'.repeat(255) }],
  ['the shortest interval', { intervalSeconds: 30 }],
  ['the longest interval', { intervalSeconds: 86_400 }],
  ['the shortest timeout', { timeoutMs: 1000 }],
  ['a monitor without confirmation times', { confirmDownMinutes: 0, confirmUpMinutes: 0 }],
])('validateMonitor() accepts %s', (_name, changes) => {
  expect(problemsOf(changes)).toEqual({});
});

test.each<[Partial<MonitorSettings>, Record<string, string[]>]>([
  [{ name: '' }, { name: ['is required'] }],
  [{ name: ' \u200b' }, { name: ['is required'] }],
  [{ name: 'x'.repeat(256) }, { name: ['must be at most 255 characters'] }],
  [{ name: 'a\u0000b' }, { name: ['must not contain control characters'] }],
  [{ intervalSeconds: 29 }, { interval_seconds: ['must be between 30 and 86400'] }],
  [{ intervalSeconds: 86_401 }, { interval_seconds: ['must be between 30 and 86400'] }],
  [{ timeoutMs: 999 }, { timeout_ms: ['must be between 1000 and 60000'] }],
  [{ timeoutMs: 60_001 }, { timeout_ms: ['must be between 1000 and 60000'] }],
  [{ confirmDownAfter: 11 }, { confirm_down_after: ['must be between 1 and 10'] }],
  [{ configJson: '[]' }, { config: ['must be an object'] }],
  [{ configJson: '{' }, { config: ['must be an object'] }],
])('the settings %j are rejected with an error for each field', (changes, expected) => {
  expect(problemsOf(changes)).toEqual(expected);
});

test('a blank name that was saved under older rules stays valid until it is changed', () => {
  const before = { ...good, name: ' ' };
  expect(problemsOf({ name: ' ', timeoutMs: 2_000 }, before)).toEqual({});
  expect(problemsOf({ name: '  ' }, before)).toEqual({ name: ['is required'] });
});

test('all invalid fields are reported at once', () => {
  const problems = problemsOf({ name: '', intervalSeconds: 1, configJson: '{"url":1,"method":2}' });
  expect(Object.keys(problems).sort()).toEqual(['config.method', 'config.url', 'interval_seconds', 'name']);
});
