import { keptByYoungCollections, testDatabase } from '@tocsin/testing';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { timeQueries } from '../src/timed-queries.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());
const { url } = stack.use(await testDatabase('timed_queries'));

async function connect(timeoutMs: number): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, pipeline: true });
  timeQueries(client, timeoutMs);
  client.on('error', () => undefined);
  await client.connect();
  stack.defer(() => client.end());
  return client;
}

test('a collection of the young generation frees statements that have ended', async () => {
  const client = await connect(10_000);
  const bytes = 20_000;
  const run = async (count: number) => {
    for (let i = 0; i < count; i += 1) await client.query('select $1::text as text', [String(i % 10).repeat(bytes)]);
  };
  await run(20);
  expect(await keptByYoungCollections(() => run(200))).toBeLessThan(50 * bytes);
});

test('the stack of an error leads to the caller', async () => {
  const client = await connect(10_000);
  const failed = await client.query('select 1/0').catch((error: Error) => error);
  expect(failed).toMatchObject({ code: '22012', stack: expect.stringContaining('timed-queries.test.ts') });
});

test('a statement that exceeds its limit fails, and so do the statements behind it', async () => {
  const client = await connect(100);
  const sent = [client.query('select pg_sleep(10)'), client.query('select 1')];
  const outcomes = await Promise.allSettled(sent);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
  expect(outcomes[0]).toMatchObject({ reason: { message: 'Query read timeout' } });
  await expect(client.query('select 1')).rejects.toThrow();
});

test('statements with a callback, and statements with a limit of their own, are possible', async () => {
  const client = await connect(50);
  const called = await new Promise((resolve) => {
    client.query('select 1 as one', (_error, result) => resolve(result.rows));
  });
  expect(called).toEqual([{ one: 1 }]);
  const slow = { text: 'select pg_sleep(0.2), $1::int as two', values: [2], query_timeout: 10_000 };
  expect((await client.query(slow)).rows).toMatchObject([{ two: 2 }]);
});
