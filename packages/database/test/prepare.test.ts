import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import { prepareServiceDatabase } from '../src/index.ts';

const made: string[] = [];

/** Returns settings of a service that no other test prepares. */
function newService(password = 'secret') {
  const name = `prepared_${randomBytes(6).toString('hex')}`;
  made.push(name);
  return { schema: name, owner: { name, password }, runtime: { name: `${name}_runtime`, password } };
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
    await query(inject('postgresUrl'), `drop role ${name}, ${name}_runtime`);
  }
});

test('the owner owns its schema and has no other rights', async () => {
  const service = newService();
  const { ownerUrl } = await prepareServiceDatabase(inject('postgresUrl'), service);
  expect(await query(ownerUrl, 'select current_user::text, current_schema()::text')).toEqual([
    service.owner.name,
    service.schema,
  ]);
  await query(ownerUrl, 'create table mine (id int)');
  expect(await query(ownerUrl, 'select rolsuper or rolbypassrls from pg_roles where rolname = current_user')).toEqual([
    false,
  ]);
  await expect(query(ownerUrl, 'create table public.other (id int)')).rejects.toThrow(/permission denied/);
});

test('preparing a service again keeps its data and sets new passwords', async () => {
  const service = newService();
  const before = await prepareServiceDatabase(inject('postgresUrl'), service);
  await query(before.ownerUrl, 'create table mine as select 42 as answer');
  const password = `odd'"/@ %`;
  const renewed = {
    ...service,
    owner: { ...service.owner, password },
    runtime: { ...service.runtime, password },
  };
  const after = await prepareServiceDatabase(inject('postgresUrl'), renewed);
  expect(await query(after.ownerUrl, 'select answer from mine')).toEqual([42]);
  expect(await query(after.url, 'select 1')).toEqual([1]);
  for (const url of [before.ownerUrl, before.url]) {
    await expect(query(url, 'select 1')).rejects.toThrow(/password authentication failed/);
  }
});

test('several programs can prepare the same service at once', async () => {
  const service = newService();
  const attempts = Array.from({ length: 6 }, () => prepareServiceDatabase(inject('postgresUrl'), service));
  const urls = new Set((await Promise.all(attempts)).map(({ url }) => url));
  expect(urls.size).toBe(1);
});
