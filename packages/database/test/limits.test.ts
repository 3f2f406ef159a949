import { testDatabase } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase, requireWithinLimit, sqlMigration, type Transaction } from '../src/index.ts';

const ORGANIZATION = '01920000-0000-7000-8000-000000000001';
const scope = { organizationId: ORGANIZATION };
const ROWS = { limit: 'monitors', table: 'thing' } as const;

const stack = new AsyncDisposableStack();
let database: Database;
beforeAll(async () => {
  const { url } = stack.use(await testDatabase('limits'));
  const migrations = [sqlMigration('thing', 'create table thing (organization_id uuid not null)')];
  database = stack.use(await openDatabase({ url, entities: [], migrations }));
});
afterAll(() => stack.disposeAsync());

async function insert(tx: Transaction, limit: number): Promise<void> {
  await tx.query('insert into thing values ($1)', [ORGANIZATION]);
  await requireWithinLimit(tx, ORGANIZATION, ROWS, limit);
}

test('rows up to the limit are allowed, and rows beyond it are refused', async () => {
  await database.transaction(scope, (tx) => tx.query('delete from thing'));
  await database.transaction(scope, (tx) => insert(tx, 2));
  await database.transaction(scope, (tx) => insert(tx, 2));
  await expect(database.transaction(scope, (tx) => insert(tx, 2))).rejects.toMatchObject({
    kind: 'invalid',
    fields: { monitors: ['are limited to 2 for this organization, which has 2'] },
  });
});

test('the error for several rows at once says how many the request adds', async () => {
  await database.transaction(scope, (tx) => tx.query('delete from thing'));
  await database.transaction(scope, (tx) => insert(tx, 2));
  const several = database.transaction(scope, async (tx) => {
    await tx.query('insert into thing select $1 from generate_series(1, 3)', [ORGANIZATION]);
    await requireWithinLimit(tx, ORGANIZATION, ROWS, 2, 3);
  });
  await expect(several).rejects.toMatchObject({
    fields: { monitors: ['are limited to 2 for this organization, which has 1; this request adds 3'] },
  });
});

test.each([
  ['close to the limit, wait for each other', 200, 1],
  ['far from the limit, do not wait for each other', 201, 0],
])('concurrent transactions that add rows %s', async (_name, limit, locks) => {
  await database.transaction(scope, (tx) => tx.query('delete from thing'));
  await database.transaction(scope, async (tx) => {
    await insert(tx, limit);
    const held = await tx.query(`select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`);
    expect(held).toHaveLength(locks);
  });
});

test('concurrent transactions together add at most as many rows as the limit allows', async () => {
  await database.transaction(scope, (tx) => tx.query('delete from thing'));
  const attempts = Array.from({ length: 20 }, () => database.transaction(scope, (tx) => insert(tx, 5)));
  const outcomes = await Promise.allSettled(attempts);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
});
