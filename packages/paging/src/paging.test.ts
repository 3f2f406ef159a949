import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pagingOf, partOf, withinPartBytes } from './paging.ts';

const list = fc.uniqueArray(fc.uuid({ version: 7 }), { maxLength: 30 }).map((ids) => ids.map((id) => ({ id })));

test('the responses for the parts of a list together contain every item once, newest first', () => {
  fc.assert(
    fc.property(list, fc.integer({ min: 1, max: 200 }), (items, limit) => {
      const seen: string[] = [];
      let cursor = '';
      do {
        const part = partOf(items, pagingOf(limit, cursor));
        expect(part.items.length).toBeLessThanOrEqual(limit);
        seen.push(...part.items.map(({ id }) => id));
        cursor = part.nextCursor ?? '';
        // The length is checked because a repeated cursor would cause an endless loop.
      } while (cursor !== '' && seen.length <= items.length);
      const newestFirst = items
        .map(({ id }) => id)
        .sort()
        .reverse();
      expect(seen).toEqual(newestFirst);
      expect(partOf(items, pagingOf(0, '')).items.map(({ id }) => id)).toEqual(newestFirst);
    }),
  );
});

test('if no limit is requested, a part of a list has at most 1000 items', () => {
  expect(pagingOf(0, '').limit).toBe(1_000);
});

test('a part of a list with large items has fewer items than the limit, but at least one', () => {
  const half = 1024 * 1024;
  const sized = (...sizes: number[]) => withinPartBytes(sizes, (size) => size);
  expect(sized(half, half, half)).toEqual([half, half]);
  expect(sized(half, half - 1, half, 1)).toEqual([half, half - 1, half]);
  expect(sized(5 * half, 1)).toEqual([5 * half]);
  expect(sized()).toEqual([]);
});

test('a list that ends exactly at the limit has no next part', () => {
  const items = [{ id: '01920000-0000-7000-8000-000000000001' }, { id: '01920000-0000-7000-8000-000000000002' }];
  expect(partOf(items, pagingOf(2, '')).nextCursor).toBeUndefined();
  expect(partOf(items, pagingOf(1, '')).nextCursor).toBeDefined();
});

test.each([
  [-1, '', { limit: ['must be between 1 and 1000'] }],
  [1001, '', { limit: ['must be between 1 and 1000'] }],
  [0, 'nonsense', { cursor: ['is not from the link to a next page'] }],
  [-1, '%', { limit: ['must be between 1 and 1000'], cursor: ['is not from the link to a next page'] }],
])('limit %j with cursor %j is rejected', (limit, cursor, fields) => {
  expect(() => pagingOf(limit, cursor)).toThrow(expect.objectContaining({ kind: 'invalid', fields }));
});

test.each([1, 1000])('limit %j is accepted', (limit) => {
  expect(pagingOf(limit, '')).toEqual({ limit, before: undefined });
});
