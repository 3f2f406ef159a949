import { type TestDatabase, testDatabase } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, Scope } from '../src/index.ts';
import { acme, column, globex, openSample } from './sample.ts';

const all = 'every organization';
let schema: TestDatabase;
let database: Database;

beforeAll(async () => {
  schema = await testDatabase('reads');
  // By default, commits on the test server do not wait for the disk. These tests need commits that wait.
  const url = new URL(schema.url);
  url.searchParams.set('options', '-csynchronous_commit=on');
  database = await openSample(url.href);
  await column(database, all, `insert into note values (1, $1, 'mine'), (2, $2, 'theirs')`, [acme, globex]);
});

afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await schema[Symbol.asyncDispose]();
});

async function texts(scope: Scope): Promise<string[]> {
  const rows = await database.read<{ text: string }>(
    scope,
    'select text from note where id in ($1, $2) order by id',
    [1, 2],
  );
  return rows.map(({ text }) => text);
}

test('each of many concurrent reads sees only rows of its scope', async () => {
  const rounds = Array.from({ length: 100 }, async () => {
    expect(await texts({ organizationId: acme })).toEqual(['mine']);
    expect(await texts({ organizationId: globex })).toEqual(['theirs']);
    expect(await texts(all)).toEqual(['mine', 'theirs']);
  });
  await Promise.all(rounds);
});

test('a read cannot write', async () => {
  const write = database.read({ organizationId: acme }, `insert into note values (3, $1, 'no') returning id`, [acme]);
  await expect(write).rejects.toThrow('read-only transaction');
  expect(await column(database, all, 'select id from note where id = 3')).toEqual([]);
});

test('a failed read throws the error of its statement, and the next read can use the connection', async () => {
  for (let round = 0; round < 10; round += 1) {
    await expect(database.read(all, 'select 1 / $1::int as never', [0])).rejects.toThrow('division by zero');
  }
  expect(await texts(all)).toHaveLength(2);
});

test('a read whose connection is lost throws `unavailable` and does not exhaust the pool', async () => {
  for (let round = 0; round < 10; round += 1) {
    const lost = database.read(all, 'select pg_terminate_backend(pg_backend_pid()), pg_sleep(5)');
    await expect(lost).rejects.toMatchObject({ kind: 'unavailable' });
  }
  expect(await texts(all)).toHaveLength(2);
});

test('concurrent calls of count() change only rows of their scopes, and commit without waiting for the disk', async () => {
  const add = () =>
    database.count<{ text: string; commit: string }>(
      { organizationId: acme },
      `update note set text = (case when text = 'mine' then 0 else text::int end + 1)::text where id in (1, 2)
       returning text, current_setting('synchronous_commit') as commit`,
    );
  const rows = (await Promise.all(Array.from({ length: 50 }, add))).flat();
  expect(rows.map(({ text }) => Number(text)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 50 }, (_, i) => i + 1),
  );
  expect(new Set(rows.map(({ commit }) => commit))).toEqual(new Set(['off']));
  expect(await texts(all)).toEqual(['50', 'theirs']);
  expect(await column(database, all, `select current_setting('synchronous_commit')`)).toEqual(['on']);
});
