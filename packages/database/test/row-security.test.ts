import { type TestDatabase, testDatabase } from '@tocsin/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../src/index.ts';
import { protectManyRows, sqlMigration, sqlState } from '../src/index.ts';
import { acme, column, globex, migrations, openSample } from './sample.ts';

const manyRows = sqlMigration('sample-004-many-rows', protectManyRows('note'));

describe.each([
  { name: 'each row', policies: migrations },
  { name: 'many rows', policies: [...migrations, manyRows] },
])('with the policy for $name', ({ policies }) => {
  let schema: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    schema = await testDatabase('security');
    database = await openSample(schema.url, policies);
    await column(database, { organizationId: acme }, `insert into note values (1, $1, 'of acme')`, [acme]);
    await column(database, { organizationId: globex }, `insert into note values (2, $1, 'of globex')`, [globex]);
  });

  afterAll(async () => {
    await database[Symbol.asyncDispose]();
    await schema[Symbol.asyncDispose]();
  });

  test('a transaction sees only rows of its own organization, even if its query has no condition', async () => {
    expect(await column(database, { organizationId: acme }, 'select text from note')).toEqual(['of acme']);
    expect(await column(database, { organizationId: globex }, 'select text from note')).toEqual(['of globex']);
  });

  test('a row of another organization cannot be read, changed or deleted by its id', async () => {
    const scope = { organizationId: acme };
    expect(await column(database, scope, 'select text from note where id = 2')).toEqual([]);
    expect(await column(database, scope, `update note set text = 'taken' where id = 2 returning id`)).toEqual([]);
    expect(await column(database, scope, 'delete from note where id = 2 returning id')).toEqual([]);
    expect(await column(database, { organizationId: globex }, 'select text from note')).toEqual(['of globex']);
  });

  const foreign = {
    'inserting a row for': `insert into note values (3, $1, 'planted')`,
    'giving a row to': 'update note set organization_id = $1 where id = 1',
  };

  test.each(Object.entries(foreign))('row security refuses %s another organization', async (_, sql) => {
    const attempt = column(database, { organizationId: acme }, sql, [globex]);
    expect(sqlState(await attempt.catch((error: unknown) => error))).toBe('42501');
  });

  test("the table's owner cannot read or write rows without a scope", async () => {
    const owner = new pg.Client({ connectionString: schema.url });
    await owner.connect();
    try {
      expect((await owner.query('select * from note')).rows).toEqual([]);
      await expect(owner.query(`insert into note values (4, '${acme}', 'planted')`)).rejects.toThrow(
        /row-level security/,
      );
    } finally {
      await owner.end();
    }
  });

  test('a transaction with the scope `every organization` sees all rows', async () => {
    const sql = 'select text from note order by id';
    expect(await column(database, 'every organization', sql)).toEqual(['of acme', 'of globex']);
  });

  test('a scope applies only until its transaction ends', async () => {
    await using single = await openSample(schema.url, policies);
    for (let round = 0; round < 5; round += 1) {
      expect(await column(single, 'every organization', 'select count(*) from note')).toEqual([2]);
      expect(await column(single, { organizationId: globex }, 'select id from note')).toEqual([2]);
    }
  });
});
