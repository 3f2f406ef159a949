import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

/** Starts a pool whose items the test completes. The first letter of an item is its tenant. */
function startPool(options: Partial<WorkerPoolOptions<string>> = {}) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (item: string) => {
    started.push(item);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.set(item, resolve);
    return promise;
  };
  const pool = new WorkerPool<string>({ slots: 4, starting: 100, tenantShare: 0.5, work, onChange() {}, ...options });
  const add = (...items: string[]) => {
    for (const item of items) pool.add(item.slice(0, 1), item);
  };
  const end = async (item: string) => {
    ends.get(item)?.();
    await turn();
  };
  return { pool, started, add, end };
}

test('the number of running items is at most the number of slots, and tenants are served in turn', async () => {
  const { pool, started, add, end } = startPool({ slots: 2, tenantShare: 1 });
  add('a1', 'a2', 'a3', 'a4', 'b1');
  expect(started).toEqual(['a1', 'a2']);
  await end('a1');
  await end('a2');
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1']);
  expect([pool.running, pool.waiting]).toEqual([2, 1]);
});

test('a tenant whose items never end uses at most `tenantShare` of the slots', async () => {
  const { pool, started, add, end } = startPool();
  add('a1', 'a2', 'a3', 'a4', 'a5', 'a6');
  expect(started).toEqual(['a1', 'a2']);
  add('b1');
  expect(started).toEqual(['a1', 'a2', 'b1']);
  await end('b1');
  expect([pool.running, pool.waiting]).toEqual([2, 4]);
  await end('a1');
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
});

test('with a single slot, items of several tenants run one after the other', async () => {
  const { started, add, end } = startPool({ slots: 1 });
  add('a1', 'a2', 'b1');
  await end('a1');
  expect(started).toEqual(['a1', 'a2']);
  await end('a2');
  expect(started).toEqual(['a1', 'a2', 'b1']);
});

test('items beyond the limit `starting` start about a second later', async () => {
  const { started, add } = startPool({ slots: 10, starting: 4, tenantShare: 1 });
  add('a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'd1');
  // At most half of the items that start together belong to one tenant.
  expect(started).toEqual(['a1', 'a2', 'b1', 'b2']);
  const startedAt = performance.now();
  await vi.waitFor(() => expect(started).toHaveLength(7), { timeout: 10_000 });
  expect(performance.now() - startedAt).toBeGreaterThan(900);
});

test('waiting items can be removed, while running items are completed', async () => {
  const { pool, add, end } = startPool({ slots: 1 });
  add('a1', 'a2', 'b1', 'b2');
  expect(pool.remove((item) => item === 'b1')).toEqual(['b1']);
  expect(pool.remove()).toEqual(['a2', 'b2']);
  let isIdle = false;
  void pool.idle().then(() => {
    isIdle = true;
  });
  await turn();
  expect(isIdle).toBe(false);
  await end('a1');
  expect(isIdle).toBe(true);
});
