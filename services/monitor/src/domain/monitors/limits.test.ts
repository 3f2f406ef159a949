import { MAX_CHANNELS_OF_MONITOR } from '@tocsin/enums';
import { FieldErrorCollector, ServiceError } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { checkChannelCount, checkConfigSize, depthOf, MAX_CONFIG_BYTES, MAX_CONFIG_DEPTH } from './limits.ts';

function problemsOf(check: (errors: FieldErrorCollector) => void): Record<string, string[]> {
  const errors = new FieldErrorCollector();
  check(errors);
  try {
    errors.throwIfAny();
    return {};
  } catch (error) {
    if (error instanceof ServiceError) return error.fields;
    throw error;
  }
}

/** Returns a config of the given size in bytes, filled mostly with three-byte characters. */
function configOf(bytes: number): string {
  const rest = bytes - Buffer.byteLength('{"a":""}');
  return `{"a":"${'€'.repeat(Math.floor(rest / 3))}${'x'.repeat(rest % 3)}"}`;
}

test('a config of 128 KB is accepted, and a config with one byte more is rejected', () => {
  expect(Buffer.byteLength(configOf(MAX_CONFIG_BYTES))).toBe(131_072);
  expect(problemsOf((errors) => checkConfigSize(configOf(MAX_CONFIG_BYTES), errors))).toEqual({});
  expect(problemsOf((errors) => checkConfigSize(configOf(MAX_CONFIG_BYTES + 1), errors))).toEqual({
    config: ['must be at most 131072 bytes of JSON, and has 131073'],
  });
});

test('a config with 32 levels is accepted, and a config with 33 levels is rejected', () => {
  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  expect(problemsOf((errors) => checkConfigSize(nested(MAX_CONFIG_DEPTH), errors))).toEqual({});
  expect(problemsOf((errors) => checkConfigSize(nested(MAX_CONFIG_DEPTH + 1), errors))).toEqual({
    config: ['must be at most 32 levels deep'],
  });
});

test.each([
  ['{}', 1],
  ['{"a":{},"b":[[]]}', 3],
  ['{"a":"[[[["}', 1],
  ['{"a\\"[":"\\\\","b":[]}', 2],
])('the nesting depth of %s is %i', (json, depth) => {
  expect(depthOf(json)).toBe(depth);
});

test('50 channels are accepted, and 51 channels are rejected', () => {
  const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());
  expect(problemsOf((errors) => checkChannelCount(ids(MAX_CHANNELS_OF_MONITOR), errors))).toEqual({});
  expect(problemsOf((errors) => checkChannelCount(ids(MAX_CHANNELS_OF_MONITOR + 1), errors))).toEqual({
    alert_channel_ids: ['must be at most 50 channels, and has 51'],
  });
});
