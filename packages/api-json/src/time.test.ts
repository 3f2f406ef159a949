import { create } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { toMicroseconds, toSeconds } from './time.ts';

const at = (text: string, nanos: number) =>
  create(TimestampSchema, { seconds: BigInt(Date.parse(text)) / 1_000n, nanos });

test.each([0, 1, 999_000_000, 999_999_999])(
  'a time with %i ns is cut to its second and to its microsecond',
  (nanos) => {
    const time = at('2026-11-20T10:00:59Z', nanos);
    expect(toSeconds(time)).toBe('2026-11-20T10:00:59Z');
    expect(toMicroseconds(time)).toBe(`2026-11-20T10:00:59.${String(Math.floor(nanos / 1_000)).padStart(6, '0')}Z`);
  },
);

test('an absent time is that of 1970', () => {
  expect(toSeconds(undefined)).toBe('1970-01-01T00:00:00Z');
});
