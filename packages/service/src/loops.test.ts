import { Writable } from 'node:stream';
import { createRuntime } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { startLoops } from './loops.ts';

const quiet = createRuntime('test', { logLevel: 'silent' });
const now = () => new Date();

/** Due times in milliseconds since 1970, by the index of the loop. */
type DueTimes = Readonly<Record<string, number | null>>;

/** Returns a database that returns these due times. */
function dueTimes(values: DueTimes) {
  return { endedTransactions: 0, read: async <Row extends object>() => [values as Row] };
}

test('a loop without a condition runs at its interval', async () => {
  let runs = 0;
  const run = async () => {
    runs += 1;
    return 'done' as const;
  };
  await using _loops = startLoops([{ name: 'working', everyMs: 1, run }], {
    database: dueTimes({}),
    runtime: quiet,
    now,
  });
  await eventually(() => expect(runs).toBeGreaterThan(3));
});

test('a run that left work is repeated without looking at the due time', async () => {
  const outcomes = ['again', { dueInMs: 1 }, 'again', 'done'] as const;
  let runs = 0;
  const run = async () => outcomes[runs++] ?? 'done';
  await using _loops = startLoops([{ name: 'working', everyMs: 5_000, dueSql: 'null', run }], {
    database: dueTimes({ 0: null }),
    runtime: quiet,
    now,
  });
  await eventually(() => expect(runs).toBe(outcomes.length));
});

test('a run that fails is repeated, even if the loop is no longer due', async () => {
  const outcomes = [{ dueInMs: 1 }, new Error('the database is unavailable'), 'done'] as const;
  let runs = 0;
  const run = async () => {
    const outcome = outcomes[runs++] ?? 'done';
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  await using _loops = startLoops([{ name: 'working', everyMs: 1, dueSql: 'null', run }], {
    database: dueTimes({ 0: null }),
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
    dueSql: "timestamptz '-infinity'",
    async run() {
      ran.push(name);
      return 'done' as const;
    },
  });
  await using _loops = startLoops([loop('rare', 3_600_000), loop('frequent', 1_000)], {
    database: dueTimes({ 0: 0, 1: 0 }),
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
      { name: 'slow', everyMs: 1_000, dueSql: "timestamptz '-infinity'", run: () => end.promise },
      {
        name: 'quick',
        everyMs: 1_000,
        dueSql: "timestamptz '-infinity'",
        async run() {
          runs += 1;
          return 'done';
        },
      },
    ],
    { database: dueTimes({ 0: 0, 1: 0 }), runtime: quiet, now },
  );
  await eventually(() => expect(runs).toBeGreaterThan(2));
  end.resolve('done');
  await loops[Symbol.asyncDispose]();
});

test('a failure to read the due times is logged and retried, and so is a failed run', async () => {
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
    endedTransactions: 0,
    async read<Row extends object>(): Promise<Row[]> {
      reads += 1;
      if (reads === 1) throw new Error('the database is unavailable');
      return [{ 0: 0 } as Row];
    },
  };
  const run = async () => {
    runs += 1;
    if (runs === 2) throw new Error('a broken row');
    return 'done' as const;
  };
  await using _loops = startLoops([{ name: 'working', everyMs: 1_000, dueSql: "timestamptz '-infinity'", run }], {
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

/** A database with changeable due times of one loop, which counts the reads. */
class CountingDatabase {
  endedTransactions = 0;
  reads = 0;
  dueMs: number | null = null;

  read = async <Row extends object>() => {
    this.reads += 1;
    return [{ 0: this.dueMs } as Row];
  };
}

/** Starts a loop whose runs are counted, in a process with other services or in one of its own. */
function startCounting(database: CountingDatabase, { sharesProcess }: { readonly sharesProcess: boolean }) {
  const counted = { runs: 0 };
  const run = async () => {
    counted.runs += 1;
    return 'done' as const;
  };
  const runtime = createRuntime('test', { logLevel: 'silent', sharesProcess });
  const loops = startLoops([{ name: 'working', everyMs: 1_000, dueSql: 'null', run }], { database, runtime, now });
  return { counted, [Symbol.asyncDispose]: () => loops[Symbol.asyncDispose]() };
}

test('in one process with other services, due times are read again after a transaction of the service', async () => {
  const own = new CountingDatabase();
  const shared = new CountingDatabase();
  await using _separate = startCounting(own, { sharesProcess: false });
  await using together = startCounting(shared, { sharesProcess: true });
  await eventually(() => expect(own.reads).toBe(3));
  expect(shared.reads).toBe(1);
  shared.dueMs = 0;
  shared.endedTransactions += 1;
  await eventually(() => expect(together.counted.runs).toBe(2), { timeoutMs: 2_500 });
});

test('in one process with other services, what another replica has stored is found after five seconds', async () => {
  const database = new CountingDatabase();
  await using together = startCounting(database, { sharesProcess: true });
  await eventually(() => expect(database.reads).toBe(1));
  database.dueMs = 0;
  await eventually(() => expect(together.counted.runs).toBe(2), { timeoutMs: 7_000 });
  expect(database.reads).toBe(2);
});

test('in one process with other services, a loop runs within a second after its due time', async () => {
  const database = new CountingDatabase();
  database.dueMs = Date.now() + 2_500;
  await using together = startCounting(database, { sharesProcess: true });
  await eventually(() => expect(together.counted.runs).toBe(2), { timeoutMs: 4_500 });
  expect(Date.now()).toBeGreaterThanOrEqual(database.dueMs);
  expect(database.reads).toBe(2);
});

test('disposing ends the waits, and waits for the current run', async () => {
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<'done'>();
  const order: string[] = [];
  const loops = startLoops(
    [
      { name: 'idle', everyMs: 1_000, dueSql: 'null', run: async () => 'done' },
      {
        name: 'working',
        everyMs: 1_000,
        dueSql: 'null',
        async run() {
          begun.resolve();
          const outcome = await finish.promise;
          order.push('run ended');
          return outcome;
        },
      },
    ],
    { database: dueTimes({ 0: null, 1: null }), runtime: quiet, now },
  );
  await begun.promise;
  const disposed = loops[Symbol.asyncDispose]().then(() => order.push('disposed'));
  finish.resolve('done');
  await disposed;
  expect(order).toEqual(['run ended', 'disposed']);
});
