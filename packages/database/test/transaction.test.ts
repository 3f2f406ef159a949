import { ServiceError } from '@tocsin/errors';
import { freePort, type TestDatabase, testDatabase } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, type Transaction, violatedConstraint } from '../src/index.ts';
import { acme, column, openSample } from './sample.ts';

const all = 'every organization';
let schema: TestDatabase;
let database: Database;

beforeAll(async () => {
  schema = await testDatabase('transactions');
  database = await openSample(schema.url);
});

afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await schema[Symbol.asyncDispose]();
});

test('a transaction that throws is rolled back, and its error is rethrown', async () => {
  const failure = new ServiceError('conflict', 'no');
  const attempt = database.transaction(all, async (tx) => {
    await tx.query(`insert into note values (10, $1, 'gone')`, [acme]);
    throw failure;
  });
  await expect(attempt).rejects.toBe(failure);
  expect(await column(database, all, 'select id from note where id = 10')).toEqual([]);
});

test('transactions that may have changed rows are counted at their end, unlike single reads', async () => {
  const before = database.endedTransactions;
  const ended = () => database.endedTransactions - before;
  await database.read(all, 'select 1 as one');
  expect(ended()).toBe(0);
  await database.transaction(all, async (tx) => {
    await tx.query('select 1');
    expect(ended()).toBe(0);
  });
  expect(ended()).toBe(1);
  // A commit whose response is lost fails, although it has changed rows.
  const failing = database.transaction(all, async () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(ended()).toBe(2);
});

test('a statement after the end of its transaction is refused, because other transactions may use the connection', async () => {
  const late = await database.transaction(all, async (tx) => tx);
  await expect(late.query('select 1')).rejects.toThrow('the transaction has ended');
  expect(() => late.send('select 1')).toThrow('the transaction has ended');
  await expect(late.em.execute('select 1')).rejects.toThrow('the transaction has ended');
});

test('a transaction whose function ignores a failed statement is rolled back and throws an error', async () => {
  const attempt = database.transaction(all, async (tx) => {
    await tx.query(`insert into note values (12, $1, 'gone')`, [acme]);
    await tx.query('select nothing').catch(() => undefined);
  });
  await expect(attempt).rejects.toThrow('it was rolled back');
  expect(await column(database, all, 'select id from note where id = 12')).toEqual([]);
});

test('later statements and the commit see the effect of a statement that was sent without waiting', async () => {
  const texts = await database.transaction(all, async (tx) => {
    tx.send(`insert into note values (13, $1, 'sent')`, [acme]);
    const rows = await tx.query<{ text: string }>('select text from note where id = 13');
    tx.send(`update note set text = 'changed' where id = $1`, [13]);
    return rows.map(({ text }) => text);
  });
  expect(texts).toEqual(['sent']);
  expect(await column(database, all, 'select text from note where id = 13')).toEqual(['changed']);
});

test.each([
  ['last', async () => {}],
  ['before another', async (tx: Transaction) => void (await tx.query('select 1'))],
  [
    'before another whose error is ignored',
    async (tx: Transaction) => void (await tx.query('select 1').catch(() => 0)),
  ],
])('a transaction fails with the error of a statement that was sent %s', async (_, then) => {
  const attempt = database.transaction(all, async (tx) => {
    tx.send(`insert into note values (14, $1, 'a')`, [acme]);
    tx.send(`insert into note values (14, $1, 'b')`, [acme]);
    tx.send(`insert into note values (15, $1, 'c')`, [acme]);
    await then(tx);
  });
  const error = await attempt.catch((caught: unknown) => caught);
  expect(violatedConstraint(error)).toBe('note_pkey');
  expect(await column(database, all, 'select id from note where id in (14, 15)')).toEqual([]);
});

test('the error of a statement that was waited for is not hidden by those that were sent after it', async () => {
  const attempt = database.transaction(all, async (tx) => {
    const failing = tx.query('select nothing');
    tx.send(`insert into note values (16, $1, 'a')`, [acme]);
    await failing;
  });
  await expect(attempt).rejects.toThrow('column "nothing" does not exist');
});

test('timestamps are returned as Date, and large integers and numerics as number', async () => {
  const sql = `select '2026-11-20T10:00:00.5Z'::timestamptz as at, 9007199254740991::bigint as big, 1.5::numeric as exact`;
  const rows = await database.transaction(all, (tx) => tx.query(sql));
  expect(rows).toEqual([{ at: new Date('2026-11-20T10:00:00.500Z'), big: 9007199254740991, exact: 1.5 }]);
});

test('violatedConstraint() returns the constraint that rejected a write', async () => {
  const twice = `insert into note values (11, $1, 'a'), (11, $1, 'b')`;
  const error = await column(database, all, twice, [acme]).catch((caught: unknown) => caught);
  expect(violatedConstraint(error)).toBe('note_pkey');
  expect(error).not.toBeInstanceOf(ServiceError);
});

test.each(['query', 'send'] as const)(
  'two transactions in a deadlock of %s() both succeed, because one of them runs again',
  async (method) => {
    await column(database, all, 'delete from note where id in (21, 22)');
    await column(database, all, `insert into note values (21, $1, ''), (22, $1, '')`, [acme]);
    let runs = 0;
    const meet = meetingPoint(2);
    const append = (first: number, second: number, letter: string) =>
      database.transaction(all, async (tx) => {
        runs += 1;
        const sql = 'update note set text = text || $2 where id = $1';
        await tx.query(sql, [first, letter]);
        await meet();
        await tx[method](sql, [second, letter]);
      });
    await Promise.all([append(21, 22, 'a'), append(22, 21, 'b')]);
    // On a busy machine, the second attempts may be in a deadlock again.
    expect(runs).toBeGreaterThanOrEqual(3);
    const texts = await column(database, all, 'select text from note where id in (21, 22) order by id');
    expect(texts.map((text) => [...String(text)].sort().join(''))).toEqual(['ab', 'ab']);
  },
);

test('an unreachable database causes `unavailable`', async () => {
  const url = new URL(schema.url);
  url.port = String(await freePort());
  await expect(openSample(url.href)).rejects.toMatchObject({ name: 'ServiceError', kind: 'unavailable' });
});

test('a connection that is lost during a transaction causes `unavailable` and does not exhaust the pool', async () => {
  // Repeat more often than the pool has connections.
  for (let round = 0; round < 10; round += 1) {
    const lost = database.transaction(all, async (tx) => {
      const [backend] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await column(database, all, 'select pg_terminate_backend($1, 5000)', [backend?.pid]);
      await tx.query('select 1');
    });
    await expect(lost).rejects.toMatchObject({ kind: 'unavailable' });
  }
  expect(await column(database, all, 'select 1')).toEqual([1]);
});

/** Returns a function that waits until it was called `expected` times. Later calls do not wait. */
function meetingPoint(expected: number): () => Promise<void> {
  const all = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === expected) all.resolve();
    return all.promise;
  };
}

test('a connection to a standby is not used again after a write was refused', async () => {
  const write = () => column(database, all, `insert into note values (31, $1, 'kept')`, [acme]);
  // The connection refuses writes like a connection to a former primary server. The pool uses it for the next write.
  await column(database, all, 'set session characteristics as transaction read only');
  await expect(write()).rejects.toMatchObject({ kind: 'unavailable' });
  await write();
  expect(await column(database, all, 'select text from note where id = 31')).toEqual(['kept']);
});
