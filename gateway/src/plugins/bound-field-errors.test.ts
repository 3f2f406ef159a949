import { expect, test } from 'vitest';
import { boundFieldErrors } from './bound-field-errors.ts';

const fields = (count: number, name: string, message: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}${name}`, [message]]));

test('at most 100 findings are listed, and further findings are only counted', () => {
  expect(boundFieldErrors(fields(100, 'a', 'is required'))).toMatchObject({ unlisted: 0 });
  const { listed, unlisted } = boundFieldErrors(fields(101, 'a', 'is required'));
  expect(Object.keys(listed)).toHaveLength(100);
  expect(unlisted).toBe(1);
});

test('long paths and messages are shortened', () => {
  const { listed } = boundFieldErrors({ ['x'.repeat(201)]: ['y'.repeat(501)], ['x'.repeat(200)]: ['y'.repeat(500)] });
  expect(listed).toEqual({ [`${'x'.repeat(199)}…`]: [`${'y'.repeat(499)}…`], ['x'.repeat(200)]: ['y'.repeat(500)] });
});

test('all findings together are at most 32 KB, regardless of their lengths', () => {
  for (const letter of ['x', '€', '😀', '\u0001']) {
    const { listed, unlisted } = boundFieldErrors(fields(100, letter.repeat(190), letter.repeat(490)));
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(32_000);
    expect(Object.keys(listed).length + unlisted).toBe(100);
  }
});
