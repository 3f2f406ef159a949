import { randomBytes } from 'node:crypto';
import { ConfigReader } from '@tocsin/runtime';
import { eventually, testDatabase } from '@tocsin/testing';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { type Database, openDatabase, type SqlMigration, sqlMigration } from '../src/index.ts';
import { column, openSample, migrations as sampleMigrations } from './sample.ts';

async function disposeAll(databases: readonly Database[]): Promise<void> {
  await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));
}

test('replicas that start together migrate once', async () => {
  await using schema = await testDatabase('migrations');
  const replicas = await Promise.all(Array.from({ length: 5 }, () => openSample(schema.url)));
  try {
    for (const replica of replicas) {
      expect(await column(replica, 'every organization', 'select count(*) from migrated')).toEqual([1]);
    }
  } finally {
    await disposeAll(replicas);
  }
});

test('a database that has been migrated runs only new migrations', async () => {
  await using schema = await testDatabase('migrations');
  await disposeAll([await openSample(schema.url)]);
  await disposeAll([await openSample(schema.url)]);
  await using later = await openSample(schema.url);
  expect(await column(later, 'every organization', 'select count(*) from migrated')).toEqual([1]);
});

test('a failed migration is rolled back and retried at the next start', async () => {
  await using schema = await testDatabase('migrations');
  const broken = [sqlMigration('one', 'create table half (id int); select no_such_function()')];
  const open = openDatabase({ url: schema.url, entities: [], migrations: broken });
  await expect(open).rejects.toThrow(/no_such_function/);
  const corrected = [sqlMigration('one', 'create table half (id int)')];
  await using database = await openDatabase({ url: schema.url, entities: [], migrations: corrected });
  expect(await column(database, 'every organization', 'select count(*) from half')).toEqual([0]);
});

test('a migration that waits for a dump holds up the statements of running services only briefly', async () => {
  await using schema = await testDatabase('dumped');
  await disposeAll([await openSample(schema.url)]);
  const dump = new pg.Client({ connectionString: schema.url });
  const service = new pg.Client({ connectionString: schema.url });
  await dump.connect();
  await service.connect();
  try {
    await dump.query('begin; lock table note in access share mode');
    const later = [...sampleMigrations, sqlMigration('sample-004-title', 'alter table note add column title text')];
    const opened = openDatabase({ url: schema.url, entities: [], migrations: later });
    opened.catch(() => undefined);
    const waiting = `select from pg_locks where relation = 'note'::regclass and not granted`;
    await eventually(async () => expect((await service.query(waiting)).rowCount).toBe(1));
    await service.query(`set lock_timeout = '10s'`);
    // Queues behind the migration until that stops waiting.
    await service.query('select from note');
    await dump.query('commit');
    await using database = await opened;
    expect(await column(database, 'every organization', 'select title from note')).toEqual([]);
  } finally {
    await dump.end();
    await service.end();
  }
});

test('a service that expects a migrated database runs no migrations, and fails to start if one is missing', async () => {
  await using schema = await testDatabase('expected');
  const two = [
    sqlMigration('one', 'create table one (id int)'),
    sqlMigration('two', 'create table two (id int)'),
  ] as const;
  const open = (migrations: readonly SqlMigration[], expectMigrated = false) =>
    openDatabase({ url: schema.url, entities: [], migrations, expectMigrated });
  const lacks = (name: string) => ({ kind: 'unavailable', message: `the database lacks the migration ${name}` });

  await expect(open(two, true)).rejects.toMatchObject(lacks('one'));
  await disposeAll([await open(two.slice(0, 1))]);
  await expect(open(two, true)).rejects.toMatchObject(lacks('two'));
  await using database = await open(two.slice(0, 1), true);
  expect(await column(database, 'every organization', "select to_regclass('two')")).toEqual([null]);
  await disposeAll([await open(two)]);
  await disposeAll([await open(two, true)]);
  // An earlier version of the service, which knows only the first migration, can also start.
  await disposeAll([await open(two.slice(0, 1), true)]);
});

test('services with the same URL create separate schemas at their first start', async () => {
  await using owner = await testDatabase('shared');
  const suffix = randomBytes(4).toString('hex');
  const shared = { TOCSIN_DATABASE_URL: owner.url };
  const names = [`monitor_${suffix}`, `notifier_${suffix}`];
  await asAdmin(`grant create on database tocsin to ${owner.schema}`);
  const urls = names.map((name) => new ConfigReader(shared).databaseUrl(name));
  // Start two replicas of each service at once.
  const opened = await Promise.all([...urls, ...urls].map((url) => openSample(url)));
  try {
    for (const [index, database] of opened.entries()) {
      const [schema] = await column(database, 'every organization', 'select current_schema()');
      expect(schema).toBe(names[index % 2]);
      expect(await column(database, 'every organization', 'select count(*) from migrated')).toEqual([1]);
    }
  } finally {
    await disposeAll(opened);
    await asAdmin(`revoke create on database tocsin from ${owner.schema}`);
    await asAdmin(`drop schema if exists ${names.join(', ')} cascade`);
  }
});

async function asAdmin(sql: string): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  try {
    await admin.query(sql);
  } finally {
    await admin.end();
  }
}
