import { startFreezableProxy, testDatabase } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import { openDatabase, sqlMigration } from '../src/index.ts';
import { acme, column, migrations } from './sample.ts';

const all = 'every organization';
const unavailable = { name: 'ServiceError', kind: 'unavailable' };
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const schema = stack.use(await testDatabase('vanished'));

/** Opens a database through a proxy. Each statement has a limit of half a second, and the pool has two connections. */
async function openThroughProxy() {
  const url = new URL(schema.url);
  const proxy = await startFreezableProxy(Number(url.port));
  url.port = String(proxy.port);
  // Without the parameter `host`, which names a Unix socket, the URL uses TCP.
  url.search = '';
  const database = await openDatabase({ url: url.href, entities: [], migrations, poolSize: 2, queryTimeoutMs: 500 });
  // The proxy is disposed first, because the database waits for its connections to close.
  stack.use(database);
  stack.use(proxy);
  return { database, proxy };
}

test('statements in flight to a host that vanishes fail with `unavailable`, and new connections are used at once', async () => {
  const { database, proxy } = await openThroughProxy();
  // Repeat more often than the pool has connections.
  for (let round = 0; round < 4; round += 1) {
    await Promise.all([column(database, all, 'select 1'), column(database, all, 'select 1')]);
    proxy.freeze();
    const sent = [database.read(all, 'select 1'), column(database, all, 'select $1::int', [1])];
    for (const outcome of await Promise.allSettled(sent)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable });
    }
    expect(await column(database, all, 'select 1')).toEqual([1]);
  }
});

test('a host that vanishes during a transaction causes `unavailable`, for statements of the ORM and a commit too', async () => {
  const { database, proxy } = await openThroughProxy();
  const orm = database.transaction(all, async (tx) => {
    await tx.query('select 1');
    proxy.freeze();
    await tx.em.execute('select 1');
  });
  await expect(orm).rejects.toMatchObject(unavailable);
  const commit = database.transaction(all, async (tx) => {
    await tx.query('insert into note values (1, $1, $2)', [acme, 'lost']);
    proxy.freeze();
  });
  await expect(commit).rejects.toMatchObject(unavailable);
  await database.read(all, 'select 1');
  proxy.freeze();
  await expect(database.ping()).rejects.toMatchObject(unavailable);
  expect(await column(database, all, 'select 1')).toEqual([1]);
});

test('a transaction with a longer limit may run longer statements', async () => {
  const { database } = await openThroughProxy();
  const sleep = async (limits?: { queryTimeoutMs: number }) =>
    database.transaction(all, (tx) => tx.query('select pg_sleep(0.8)'), limits);
  await expect(sleep()).rejects.toMatchObject(unavailable);
  await sleep({ queryTimeoutMs: 30_000 });
});

test('a migration may take longer than the limit of other statements', async () => {
  await using own = await testDatabase('slow_migration');
  const slow = sqlMigration('sample-slow', 'select pg_sleep(0.8)');
  await using database = await openDatabase({ url: own.url, entities: [], migrations: [slow], queryTimeoutMs: 500 });
  expect(await database.read(all, 'select 1 as one')).toEqual([{ one: 1 }]);
});
