import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import { prepareServiceDatabase } from '../src/index.ts';

const made: string[] = [];

/** Returns settings of a service that no other test prepares. */
function newService(password = 'secret') {
  const name = `prepared_${randomBytes(6).toString('hex')}`;
  made.push(name);
  return { schema: name, role: name, password };
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

afterEach(async () => {
  for (const name of made.splice(0)) {
    await query(inject('postgresUrl'), `drop schema ${name} cascade`);
    await query(inject('postgresUrl'), `drop role ${name}`);
  }
});

test('a role owns its schema and has no other rights', async () => {
  const service = newService();
  const url = await prepareServiceDatabase(inject('postgresUrl'), service);
  expect(await query(url, 'select current_user::text, current_schema()::text')).toEqual([service.role, service.schema]);
  await query(url, 'create table mine (id int)');
  expect(await query(url, 'select rolsuper or rolbypassrls from pg_roles where rolname = current_user')).toEqual([
    false,
  ]);
  await expect(query(url, 'create table public.other (id int)')).rejects.toThrow(/permission denied/);
});

test('preparing a service again keeps its data and sets a new password', async () => {
  const service = newService();
  const before = await prepareServiceDatabase(inject('postgresUrl'), service);
  await query(before, 'create table mine as select 42 as answer');
  const after = await prepareServiceDatabase(inject('postgresUrl'), { ...service, password: `odd'"/@ %` });
  expect(await query(after, 'select answer from mine')).toEqual([42]);
  await expect(query(before, 'select 1')).rejects.toThrow(/password authentication failed/);
});

test('several programs can prepare the same service at once', async () => {
  const service = newService();
  const attempts = Array.from({ length: 6 }, () => prepareServiceDatabase(inject('postgresUrl'), service));
  const urls = new Set(await Promise.all(attempts));
  expect(urls.size).toBe(1);
});
