import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

function drain(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

test('tenants are served in turns, each in its own order', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']) queue.add(item.slice(0, 1), item);
  expect(queue.size).toBe(7);
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  expect(queue.size).toBe(0);
});

test('one with ten thousand entries delays a newcomer by one turn', () => {
  const queue = new FairQueue<string>();
  for (let index = 0; index < 10_000; index += 1) queue.add('large', `large ${index}`);
  for (const item of ['small 0', 'small 1', 'small 2']) queue.add('small', item);
  expect(drain(queue).slice(0, 6)).toEqual(['large 0', 'small 0', 'large 1', 'small 1', 'large 2', 'small 2']);
});
