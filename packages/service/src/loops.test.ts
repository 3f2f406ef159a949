import { Writable } from 'node:stream';
import { createRuntime } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { startLoops } from './loops.ts';

const quiet = createRuntime('test', { logLevel: 'silent' });
const now = () => new Date();

/** Returns a database that returns these values of the conditions. */
function conditions(values: Readonly<Record<string, boolean | null>>) {
  return { read: async <Row extends object>() => [values as Row] };
}

test('a loop without a condition runs at its interval', async () => {
  let runs = 0;
  const run = async () => {
    runs += 1;
    return 'done' as const;
  };
  await using _loops = startLoops([{ name: 'working', everyMs: 1, run }], {
    database: conditions({}),
    runtime: quiet,
    now,
  });
  await eventually(() => expect(runs).toBeGreaterThan(3));
});

test('a run that left work is repeated without looking at the condition', async () => {
  const outcomes = ['again', { dueInMs: 1 }, 'again', 'done'] as const;
  let runs = 0;
  const run = async () => outcomes[runs++] ?? 'done';
  await using _loops = startLoops([{ name: 'working', everyMs: 5_000, dueSql: 'false', run }], {
    database: conditions({ 0: false }),
    runtime: quiet,
    now,
  });
  await eventually(() => expect(runs).toBe(outcomes.length));
});

test('a run that fails is repeated, even if the condition is no longer true', async () => {
  const outcomes = [{ dueInMs: 1 }, new Error('the database is unavailable'), 'done'] as const;
  let runs = 0;
  const run = async () => {
    const outcome = outcomes[runs++] ?? 'done';
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  await using _loops = startLoops([{ name: 'working', everyMs: 1, dueSql: 'false', run }], {
    database: conditions({ 0: false }),
    runtime: quiet,
    now,
  });
  await eventually(() => expect(runs).toBe(outcomes.length));
});

test('a loop with a longer interval than a second waits for it, even if it has work', async () => {
  const ran: string[] = [];
  const loop = (name: string, everyMs: number) => ({
    name,
    everyMs,
    dueSql: 'true',
    async run() {
      ran.push(name);
      return 'done' as const;
    },
  });
  await using _loops = startLoops([loop('rare', 3_600_000), loop('frequent', 1_000)], {
    database: conditions({ 0: true, 1: true }),
    runtime: quiet,
    now,
  });
  await eventually(() => expect(ran.filter((name) => name === 'frequent')).toHaveLength(3));
  expect(ran.filter((name) => name === 'rare')).toHaveLength(1);
});

test('a slow loop delays no other loop', async () => {
  const end = Promise.withResolvers<'done'>();
  let runs = 0;
  const loops = startLoops(
    [
      { name: 'slow', everyMs: 1_000, dueSql: 'true', run: () => end.promise },
      {
        name: 'quick',
        everyMs: 1_000,
        dueSql: 'true',
        async run() {
          runs += 1;
          return 'done';
        },
      },
    ],
    { database: conditions({ 0: true, 1: true }), runtime: quiet, now },
  );
  await eventually(() => expect(runs).toBeGreaterThan(2));
  end.resolve('done');
  await loops[Symbol.asyncDispose]();
});

test('a failure to read the conditions is logged and retried, and so is a failed run', async () => {
  const logged: string[] = [];
  const logTo = new Writable({
    write(chunk, _, done) {
      logged.push(JSON.parse(String(chunk)).msg);
      done();
    },
  });
  let reads = 0;
  let runs = 0;
  const database = {
    async read<Row extends object>(): Promise<Row[]> {
      reads += 1;
      if (reads === 1) throw new Error('the database is unavailable');
      return [{ 0: true } as Row];
    },
  };
  const run = async () => {
    runs += 1;
    if (runs === 2) throw new Error('a broken row');
    return 'done' as const;
  };
  await using _loops = startLoops([{ name: 'working', everyMs: 1_000, dueSql: 'true', run }], {
    database,
    runtime: createRuntime('test', { logTo }),
    now,
  });
  await eventually(() => expect(runs).toBe(3));
  expect(logged).toEqual([
    'looking for due work failed and will be tried again: the database is unavailable',
    'working failed and will be tried again: a broken row',
  ]);
});

test('disposing ends the waits, and waits for the current run', async () => {
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<'done'>();
  const order: string[] = [];
  const loops = startLoops(
    [
      { name: 'idle', everyMs: 1_000, dueSql: 'false', run: async () => 'done' },
      {
        name: 'working',
        everyMs: 1_000,
        dueSql: 'false',
        async run() {
          begun.resolve();
          const outcome = await finish.promise;
          order.push('run ended');
          return outcome;
        },
      },
    ],
    { database: conditions({ 0: false, 1: false }), runtime: quiet, now },
  );
  await begun.promise;
  const disposed = loops[Symbol.asyncDispose]().then(() => order.push('disposed'));
  finish.resolve('done');
  await disposed;
  expect(order).toEqual(['run ended', 'disposed']);
});
