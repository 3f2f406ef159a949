import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWorkerPool } from './worker-pool.ts';

/** Turns whose work ends when the test says so. */
function startTurns(atOnce: number) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const turns = createWorkerPool<string>(
    atOnce,
    (item) => {
      begun.push(item);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(item, resolve);
      return promise;
    },
    () => {},
  );
  const end = async (item: string) => {
    ends.get(item)?.();
    await turn();
  };
  return { turns, begun, end };
}

test('no more goes on at once than may, and whoever has not had a turn is next', async () => {
  const { turns, begun, end } = startTurns(2);
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1']) turns.add(item.slice(0, 1), item);
  expect(begun).toEqual(['a1', 'a2']);
  await end('a1');
  await end('a2');
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
  expect([turns.running, turns.waiting]).toEqual([2, 1]);
});

test('what has not begun is given back, and what has is waited for', async () => {
  const { turns, end } = startTurns(1);
  for (const item of ['a1', 'a2', 'b1']) turns.add(item.slice(0, 1), item);
  expect(turns.giveBack()).toEqual(['a2', 'b1']);
  let isOver = false;
  void turns.allEnded().then(() => {
    isOver = true;
  });
  await turn();
  expect(isOver).toBe(false);
  await end('a1');
  expect(isOver).toBe(true);
});
