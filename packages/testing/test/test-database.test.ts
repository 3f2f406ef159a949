import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { testDatabase } from '../src/index.ts';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

test('each test database is empty, and the roles of other test databases can not access it', async () => {
  await using one = await testDatabase('service');
  await using other = await testDatabase('service');
  await query(one.url, 'CREATE TABLE mine AS SELECT 42 AS answer');
  expect(await query(one.url, 'SELECT answer FROM mine')).toEqual([42]);
  await expect(query(other.url, 'SELECT answer FROM mine')).rejects.toThrow(/does not exist/);
  await expect(query(other.url, `SELECT answer FROM ${one.schema}.mine`)).rejects.toThrow(/permission denied/);
});

test('disposing drops the schema and the role, even with an open connection', async () => {
  const database = await testDatabase('service');
  const forgotten = new pg.Client({ connectionString: database.url });
  forgotten.on('error', () => undefined);
  await forgotten.connect();
  await forgotten.query('CREATE TABLE mine (id int)');
  await database[Symbol.asyncDispose]();
  const left = `SELECT rolname::text FROM pg_roles WHERE rolname = '${database.schema}'
    UNION SELECT nspname::text FROM pg_namespace WHERE nspname = '${database.schema}'`;
  expect(await query(inject('postgresUrl'), left)).toEqual([]);
});
