import { type TestDatabase, testDatabase } from '@tocsin/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../src/index.ts';
import { StatementNames } from '../src/prepared-statements.ts';
import { acme, column, openSample } from './sample.ts';

const all = 'every organization';
let schema: TestDatabase;
let database: Database;

beforeAll(async () => {
  schema = await testDatabase('prepared');
  database = await openSample(schema.url);
});

afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await schema[Symbol.asyncDispose]();
});

test('only statements with parameters are prepared, once for each connection', async () => {
  const prepared = await database.transaction(all, async (tx) => {
    for (const text of ['a', 'b']) await tx.query('select $1::text as repeated', [text]);
    await tx.query('select 1 as plain');
    return tx.query(`select statement from pg_prepared_statements where statement ~ 'as (repeated|plain)$'`);
  });
  expect(prepared).toEqual([{ statement: 'select $1::text as repeated' }]);
});

test('statements work after a migration changed the columns that they return', async () => {
  await column(database, all, `insert into note values (1, $1, 'first')`, [acme]);
  const sql = 'select * from note where id = $1';
  const inTransaction = () => database.transaction(all, (tx) => tx.query(sql, [1]));
  const alone = () => database.read(all, sql, [1]);
  const before = { id: 1, organization_id: acme, text: 'first' };
  expect([...(await inTransaction()), ...(await alone())]).toEqual([before, before]);

  const client = new pg.Client({ connectionString: schema.url });
  await client.connect();
  await client.query('alter table note add column pinned boolean not null default false');
  await client.end();
  const after = { ...before, pinned: false };
  expect([...(await inTransaction()), ...(await alone())]).toEqual([after, after]);
});

test('at most 500 statements get names, and renew() replaces the names', () => {
  const names = new StatementNames();
  const texts = Array.from({ length: 501 }, (_, index) => `select ${index} + $1`);
  const given = texts.map((text) => names.nameOf(text));
  expect(new Set(given.slice(0, 500)).size).toBe(500);
  expect(given[500]).toBeUndefined();
  expect(names.nameOf('select 0 + $1')).toBe(given[0]);
  names.renew();
  expect(given).not.toContain(names.nameOf('select 0 + $1'));
});
