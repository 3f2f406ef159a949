import { expect, test } from 'vitest';
import { Moment, momentsOf } from './moment.ts';

const form = new RegExp(String(Reflect.get(Moment, 'pattern')));

test.each([
  '2026-11-20T10:00:00Z',
  '2026-11-20T10:00Z',
  '2026-11-20T10:00:00.123456789+05:30',
  '2028-02-29T23:59:59-12:00',
])('%s is a valid time', (text) => {
  expect(text).toMatch(form);
  expect(momentsOf({ at: text }).at?.seconds).toBe(BigInt(Math.floor(Date.parse(text) / 1000)));
});

test.each(['9999-99-99T99:99:99Z', '2026-11-20T10:00:00', '2026-11-20', '2026-11-20T24:00:00Z', 'tomorrow', ''])(
  '%j does not match the format of a time',
  (text) => {
    expect(text).not.toMatch(form);
  },
);

test.each(['2026-02-30T00:00:00Z', '2026-02-29T00:00:00Z', '2026-11-31T00:00:00Z'])(
  '%s is refused because the date does not exist',
  (text) => {
    expect(text).toMatch(form);
    expect(() => momentsOf({ at: text })).toThrow('at must be an ISO 8601 timestamp such as 2026-11-20T10:00:00Z');
  },
);

test('momentsOf() leaves out fields that are missing or null', () => {
  expect(momentsOf({ starts_at: null, ends_at: undefined })).toEqual({});
});

test('momentsOf() leaves out values that the schema refuses, so that other errors and a 404 are still found', () => {
  const { ends_at } = momentsOf({ starts_at: 'noon', resolved_at: '', ends_at: '2026-11-20T10:00:00Z' });
  expect(momentsOf({ starts_at: 'noon', resolved_at: '2026-99-99T10:00:00Z' })).toEqual({});
  expect(ends_at?.seconds).toBe(1_795_168_800n);
});
