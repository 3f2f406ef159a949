import { expect, test } from 'vitest';
import { createBatch } from './batch.ts';

test('items that are added while a batch runs form the next batch, up to the maximum size', async () => {
  const batches: number[][] = [];
  const gate = Promise.withResolvers<void>();
  const batch = createBatch<number>(async (items) => {
    batches.push([...items]);
    await gate.promise;
  }, 3);
  const added = [1, 2, 3, 4, 5, 6].map((item) => batch.add(item));
  gate.resolve();
  await Promise.all(added);
  expect(batches).toEqual([[1], [2, 3, 4], [5, 6]]);
});

test('after a batch fails, each item runs alone and only failing items are rejected', async () => {
  const batches: number[][] = [];
  const gate = Promise.withResolvers<void>();
  const batch = createBatch<number>(async (items) => {
    batches.push([...items]);
    await gate.promise;
    if (items.includes(3)) throw new Error('no 3');
  }, 10);
  const added = [1, 2, 3, 4].map((item) => batch.add(item));
  gate.resolve();
  const settled = await Promise.allSettled(added);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(batches).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
  await batch.add(5);
  expect(batches.at(-1)).toEqual([5]);
});

test('a failed batch of one item is not repeated', async () => {
  let calls = 0;
  const batch = createBatch<number>(async () => {
    calls += 1;
    throw new Error('no');
  }, 10);
  await expect(batch.add(1)).rejects.toThrow('no');
  expect(calls).toBe(1);
});
