import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

function queueOf(...items: string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.add(item.slice(0, 1), item);
  return queue;
}

function drain(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.item);
  return taken;
}

test('tenants are served in turn, and the items of each tenant are served in order', () => {
  const queue = queueOf('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');
  expect(queue.size).toBe(7);
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  expect(queue.size).toBe(0);
});

test('the waiting items of each tenant are counted', () => {
  const queue = queueOf('a1', 'a2', 'b1');
  expect(['a', 'b', 'c'].map((tenant) => queue.sizeOf(tenant))).toEqual([2, 1, 0]);
  queue.take();
  expect(queue.sizeOf('a')).toBe(1);
});

test('a tenant with ten thousand queued items delays each item of another tenant by only one item', () => {
  const queue = queueOf(...Array.from({ length: 10_000 }, (_, index) => `large ${index}`), 's0', 's1', 's2');
  expect(drain(queue).slice(0, 6)).toEqual(['large 0', 's0', 'large 1', 's1', 'large 2', 's2']);
});

test('a tenant that is not eligible is skipped, but is served first when it is eligible again', () => {
  const queue = queueOf('a1', 'a2', 'b1', 'b2', 'c1');
  const notA = (tenant: string) => tenant !== 'a';
  expect(queue.take(notA)).toEqual({ tenant: 'b', item: 'b1' });
  expect(queue.take(notA)).toEqual({ tenant: 'c', item: 'c1' });
  expect(drain(queue)).toEqual(['a1', 'b2', 'a2']);
  expect(queueOf('a1').take(notA)).toBeUndefined();
});

test('matching items are removed, and the tenants keep their order', () => {
  const queue = queueOf('a1', 'a2', 'b1', 'c1', 'b2');
  expect(queue.removeAll((item) => item.endsWith('1'))).toEqual(['a1', 'b1', 'c1']);
  expect(queue.size).toBe(2);
  expect(drain(queue)).toEqual(['a2', 'b2']);
});
