import { expect, test } from 'vitest';
import { PageShelf } from './page-shelf.ts';

const item = (key: string, bytes: number, organizationId = 'acme') => ({ key, bytes, organizationId });
const keysOf = (shelf: PageShelf<ReturnType<typeof item>>) => [...shelf.values()].map(({ key }) => key);

test('the least recently used items are removed, and only as many as necessary', () => {
  const shelf = new PageShelf<ReturnType<typeof item>>(10, 10);
  for (const key of ['a', 'b', 'c']) shelf.set(item(key, 3));
  shelf.get('a');
  shelf.peek('b');
  shelf.set(item('d', 1));
  expect([keysOf(shelf), shelf.bytes]).toEqual([['b', 'c', 'a', 'd'], 10]);
  shelf.set(item('e', 1));
  expect([keysOf(shelf), shelf.bytes, shelf.size]).toEqual([['c', 'a', 'd', 'e'], 8, 4]);
});

test('if an organization exceeds its share of the space, only its own items are removed', () => {
  const shelf = new PageShelf<ReturnType<typeof item>>(10, 4);
  shelf.set(item('other', 4, 'other'));
  for (const key of ['a', 'b', 'c']) shelf.set(item(key, 2));
  expect(keysOf(shelf)).toEqual(['other', 'b', 'c']);
});

test('an item larger than the share of an organization is not stored, but the stored item with the same key is removed', () => {
  const shelf = new PageShelf<ReturnType<typeof item>>(10, 4);
  shelf.set(item('a', 4));
  expect(shelf.get('a')).toMatchObject({ bytes: 4 });
  shelf.set(item('a', 5));
  expect([shelf.get('a'), shelf.bytes]).toEqual([undefined, 0]);
});

test('an item replaces the item with the same key, even if that item belongs to another organization', () => {
  const shelf = new PageShelf<ReturnType<typeof item>>(10, 4);
  shelf.set(item('a', 4, 'other'));
  shelf.set(item('a', 2));
  shelf.set(item('b', 4, 'other'));
  expect([keysOf(shelf), shelf.bytes]).toEqual([['a', 'b'], 6]);
  shelf.delete('a');
  shelf.delete('a');
  expect([keysOf(shelf), shelf.bytes]).toEqual([['b'], 4]);
});
