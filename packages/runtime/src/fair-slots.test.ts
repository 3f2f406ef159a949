import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FairSlots, type FairSlotsOptions, SlotsFullError } from './fair-slots.ts';

const ample = { slots: 4, perTenant: 3, waitingPerTenant: 10, waiting: 100 };

/**
 * Creates slots, and functions that add a named task and end it. A task runs until the test ends it. `started` contains
 * the names of the started tasks in order.
 */
function slotsOf(options: Partial<FairSlotsOptions>, now = () => 0) {
  const slots = new FairSlots({ ...ample, ...options }, now);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    slots,
    started,
    /** Adds a task; the first character of its name is its tenant. */
    add: (name: string) =>
      slots.run(name.slice(0, 1), () => {
        started.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      }),
    async end(name: string) {
      await turn();
      ends.get(name)?.();
      await turn();
    },
  };
}

test('a task starts at once if a slot is free, and its result is returned', async () => {
  const { add, end, started } = slotsOf({ slots: 1 });
  const result = add('a1');
  await turn();
  expect(started).toEqual(['a1']);
  await end('a1');
  expect(await result).toBe('a1');
});

test('a tenant uses at most `perTenant` slots, and another tenant gets the next free slot', async () => {
  const { add, slots, started } = slotsOf({});
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) void add(name);
  await turn();
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1']);
  expect([slots.running, slots.waiting]).toEqual([4, 1]);
});

test('`perTenantOfSeveral` applies to a tenant until ten seconds after the last task of another tenant', async () => {
  let now = 0;
  const { add, end, started } = slotsOf({ slots: 8, perTenant: 3, perTenantOfSeveral: 1 }, () => now);
  void add('b1');
  await end('b1');
  for (const name of ['a1', 'a2', 'a3']) void add(name);
  await turn();
  expect(started).toEqual(['b1', 'a1']);
  now = 9_999;
  void add('a4');
  await turn();
  expect(started).toEqual(['b1', 'a1']);
  now = 10_000;
  void add('a5');
  await turn();
  expect(started).toEqual(['b1', 'a1', 'a2', 'a3']);
});

test('`perTenantOfSeveral` applies to a tenant while another tenant runs a task, however old the task is', async () => {
  let now = 0;
  const { add, end, started } = slotsOf({ slots: 8, perTenant: 3, perTenantOfSeveral: 1 }, () => now);
  void add('b1');
  await turn();
  now = 60_000;
  for (const name of ['a1', 'a2', 'a3']) void add(name);
  await turn();
  expect(started).toEqual(['b1', 'a1']);
  await end('b1');
  expect(started).toEqual(['b1', 'a1', 'a2', 'a3']);
});

test('a tenant with no running task gets the next slot, even if a tenant with running tasks has waited longer', async () => {
  const { add, end, started } = slotsOf({ slots: 2, perTenant: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1']) void add(name);
  await end('a1');
  expect(started).toEqual(['a1', 'a2', 'b1']);
  await end('b1');
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1']);
  await end('a2');
  await end('c1');
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4']);
});

test('a task that throws frees its slot', async () => {
  const { slots } = slotsOf({ slots: 1 });
  await expect(slots.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await slots.run('a', async () => 'done')).toBe('done');
});

test('a task is rejected if `waitingPerTenant` tasks of its tenant are already waiting', async () => {
  const { add, slots } = slotsOf({ slots: 1, waitingPerTenant: 2 });
  for (const name of ['a1', 'a2', 'a3']) void add(name);
  await expect(add('a4')).rejects.toThrow(SlotsFullError);
  void add('b1');
  expect(slots.waiting).toBe(3);
});

test('a task is rejected if `waiting` tasks of all tenants together are already waiting', async () => {
  const { add, slots } = slotsOf({ slots: 1, waiting: 2 });
  for (const name of ['a1', 'b1', 'c1']) void add(name);
  await expect(add('d1')).rejects.toThrow(SlotsFullError);
  expect(slots.waiting).toBe(2);
});

test('waiting tasks of one tenant do not prevent another tenant from using a free slot', async () => {
  const { add, started } = slotsOf({ slots: 2, perTenant: 1, waiting: 2 });
  for (const name of ['a1', 'a2', 'a3', 'b1']) void add(name);
  await turn();
  expect(started).toEqual(['a1', 'b1']);
});
