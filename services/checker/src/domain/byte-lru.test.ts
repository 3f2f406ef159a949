import { expect, test } from 'vitest';
import { ByteLru } from './byte-lru.ts';

test('the least recently used entries go when the sizes exceed the limit', () => {
  const lru = new ByteLru<string>(100);
  lru.set('a', 'A', 40);
  lru.set('b', 'B', 40);
  expect(lru.get('a')).toBe('A');
  lru.set('c', 'C', 20);
  expect(lru.bytes).toBe(100);
  lru.set('d', 'D', 1);
  expect([lru.get('a'), lru.get('b'), lru.get('c'), lru.get('d')]).toEqual(['A', undefined, 'C', 'D']);
  expect(lru.bytes).toBe(61);
});

test('an entry that is set again counts once, and one that is larger than the limit is not kept', () => {
  const lru = new ByteLru<string>(100);
  lru.set('a', 'old', 60);
  lru.set('a', 'new', 50);
  expect([lru.get('a'), lru.bytes]).toEqual(['new', 50]);
  lru.set('huge', 'x', 101);
  expect([lru.get('huge'), lru.bytes]).toEqual([undefined, 0]);
});
