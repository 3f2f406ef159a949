import { randomBytes } from 'node:crypto';
import { testDatabase } from '@tocsin/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Database, escapeOfRowSecurity, migrateDatabase, openDatabase, sqlMigration } from '../src/index.ts';
import { acme, column, globex, migrations } from './sample.ts';

const more = [
  ...migrations,
  sqlMigration(
    'sample-004-parts',
    `create table part (organization_id uuid not null, day int not null) partition by range (day);
     alter table part enable row level security;
     create policy own on part using (organization_id = nullif(current_setting('tocsin.organization', true), '')::uuid);
     create table part_1 partition of part for values from (1) to (2);
     create table numbered (id bigint generated always as identity, at int);
     create function one() returns int language sql security definer as 'select 1'`,
  ),
];

const stack = new AsyncDisposableStack();
let url: string;
let database: Database;

beforeAll(async () => {
  const schema = stack.use(await testDatabase('runtime'));
  url = schema.runtimeUrl;
  database = stack.use(await openDatabase({ url, ownerUrl: schema.url, entities: [], migrations: more }));
  for (const [id, organizationId] of [acme, globex].entries()) {
    await column(database, { organizationId }, `insert into note values ($1, $2, 'text')`, [id, organizationId]);
    await column(database, { organizationId }, 'insert into part values ($1, 1)', [organizationId]);
  }
});

afterAll(() => stack.disposeAsync());

async function asRuntime(sql: string): Promise<unknown[]> {
  return query(url, sql);
}

async function query(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

test('a service role reads and writes only rows of its organization', async () => {
  const scope = { organizationId: acme };
  expect(await column(database, scope, 'select organization_id from note')).toEqual([acme]);
  expect(await column(database, scope, `update note set text = 'changed' returning organization_id`)).toEqual([acme]);
  expect(await column(database, scope, 'delete from note returning organization_id')).toEqual([acme]);
  expect(await column(database, scope, 'select organization_id from part')).toEqual([acme]);
  expect(await column(database, scope, 'insert into numbered (at) values (7) returning id')).toEqual([1]);
  expect(await column(database, scope, 'select one()')).toEqual([1]);
  expect(await escapeOfRowSecurity(url)).toBeUndefined();
});

test.each([
  'alter table note disable row level security',
  'alter table note no force row level security',
  'drop policy organization_only on note',
  'create policy open on note using (true)',
  'alter policy organization_only on note using (true)',
  'alter table note owner to current_user',
  'alter table note add column more int',
  'drop table note',
  'truncate note',
  'create table other (id int)',
  'create trigger t before update on note execute function suppress_redundant_updates_trigger()',
  `insert into mikro_orm_migrations (name, executed_at) values ('forged', now())`,
  'delete from mikro_orm_migrations',
  // The policies of the partitioned table do not apply to a query that names the partition.
  'select * from part_1',
  'alter role current_user bypassrls',
  'set session_replication_role to replica',
  'set role to pg_read_all_data',
])('a service role may not: %s', async (sql) => {
  await expect(asRuntime(sql)).rejects.toMatchObject({ code: '42501' });
});

test('a query with row_security set to off fails instead of returning all rows', async () => {
  await expect(asRuntime('set row_security to off; select * from note')).rejects.toMatchObject({ code: '42501' });
});

test('a repeated migration grants the service role access to new tables', async () => {
  await using schema = await testDatabase('regrant');
  const options = { ownerUrl: schema.url, url: schema.runtimeUrl };
  await migrateDatabase({ ...options, migrations: migrations.slice(0, 1) });
  await query(schema.runtimeUrl, 'select * from note');
  await Promise.all([1, 2, 3].map(() => migrateDatabase({ ...options, migrations })));
  expect(await query(schema.runtimeUrl, 'select count(*)::int from migrated')).toEqual([1]);
});

test('a missing role is created if the owner may create roles, and is otherwise named in the error', async () => {
  await using schema = await testDatabase('missing');
  const name = `made_${randomBytes(6).toString('hex')}`;
  const missing = new URL(schema.runtimeUrl);
  missing.username = name;
  missing.password = 'own%20secret';
  missing.searchParams.set('options', `-c search_path=${schema.schema}`);
  const migrate = () => migrateDatabase({ ownerUrl: schema.url, url: missing.href, migrations });
  const message = `the role ${name} does not exist, and ${schema.schema} may not create it: create it with LOGIN and its password`;
  await expect(migrate()).rejects.toMatchObject({ kind: 'conflict', message });
  const admin = inject('postgresUrl');
  await query(admin, `alter role ${schema.schema} createrole`);
  try {
    await migrate();
    expect(await query(missing.href, 'select count(*)::int from migrated')).toEqual([1]);
  } finally {
    await query(admin, `drop owned by ${name}`);
    await query(admin, `drop role ${name}`);
  }
});

test.each([
  ['owns tables', 'owner'],
  ['is a superuser', 'superuser'],
  [undefined, 'runtime'],
] as const)('escapeOfRowSecurity() returns "%s" for the %s role', async (reason, role) => {
  await using schema = await testDatabase('reason');
  await migrateDatabase({ ownerUrl: schema.url, url: schema.runtimeUrl, migrations });
  const urls = { owner: schema.url, superuser: inject('postgresUrl'), runtime: schema.runtimeUrl };
  expect(await escapeOfRowSecurity(urls[role])).toBe(reason);
});
