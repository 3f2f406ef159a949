import { openDatabase, protectByOrganization, sqlMigration } from '@tocsin/database';
import { tablesContaining, testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { advanceOrganizations, type OrganizationHooks, outboxMigrations, saveStoppedState } from '../src/index.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const storage = stack.use(await testDatabase('sample'));
const tables = sqlMigration(
  '001-tables',
  // If the rows were deleted in alphabetical order of the table names, the foreign key would be violated.
  `create table a_parent (id uuid primary key, organization_id uuid not null);
   create table b_child (id uuid primary key, organization_id uuid not null, parent_id uuid not null references a_parent);
   ${protectByOrganization('a_parent')}
   ${protectByOrganization('b_child')}`,
);
const database = stack.use(
  await openDatabase({ url: storage.url, entities: [], migrations: [...outboxMigrations, tables] }),
);

const NOW = new Date('2026-11-23T12:00:00Z');
const DAY_MS = 86_400_000;
const after = (days: number) => new Date(NOW.getTime() + days * DAY_MS);
let organizationId: string;
beforeEach(() => {
  organizationId = v7();
});

const query = (sql: string, ...values: unknown[]) =>
  database.transaction('every organization', (tx) => tx.query(sql, values));
const save = (state: 'stopped' | 'resuming' | 'deleting') =>
  database.transaction({ organizationId }, (tx) => saveStoppedState(tx, { organizationId, state, at: NOW }));

async function advance(now = NOW, hooks: OrganizationHooks = {}): Promise<void> {
  while ((await advanceOrganizations(database, hooks, now)) === 'again');
}

async function addRows(organization: string, count: number): Promise<void> {
  await query('insert into a_parent select gen_random_uuid(), $1 from generate_series(1, $2)', organization, count);
  await query(
    'insert into b_child select gen_random_uuid(), $1, id from a_parent where organization_id = $1',
    organization,
  );
}

const found = (organization = organizationId) => tablesContaining(storage.url, organization);

test('the rows of a deleted organization are deleted in batches, and the rows of other organizations stay', async () => {
  const other = v7();
  await addRows(organizationId, 2_500);
  await addRows(other, 1);
  await save('deleting');
  expect(await advanceOrganizations(database, {}, NOW)).toBe('again');
  expect(await query('select from b_child where organization_id = $1', organizationId)).toHaveLength(500);
  await advance();
  expect(await found()).toEqual(['stopped_organization']);
  expect(await found(other)).toEqual(['a_parent', 'b_child']);
});

test('the record of a deleted organization is removed after 8 days, and so are rows that were added after the deletion', async () => {
  await save('deleting');
  await query('insert into inbox (consumer, aggregate_id, sequence) values ($1, $2, 3)', 'sample', organizationId);
  await query('insert into outbox_sequence (aggregate_id, last, last_at) values ($1, 3, $2)', organizationId, NOW);
  await advance();
  await addRows(organizationId, 1);
  await advance(after(8));
  expect(await found()).toEqual(['a_parent', 'b_child', 'inbox', 'outbox_sequence', 'stopped_organization']);
  await advance(new Date(after(8).getTime() + 1));
  expect(await found()).toEqual([]);
});

test('the deletion hooks run before and after the rows are deleted', async () => {
  await addRows(organizationId, 1);
  await save('deleting');
  const seen: string[] = [];
  let first = 2;
  await advance(NOW, {
    async deleteFirst(tx, id) {
      seen.push(`first ${(await tx.query('select from a_parent where organization_id = $1', [id])).length}`);
      first -= 1;
      return first > 0 ? 1 : 0;
    },
    async deleteLast(tx, id) {
      seen.push(`last ${(await tx.query('select from a_parent where organization_id = $1', [id])).length}`);
    },
  });
  expect(seen.slice(0, 2)).toEqual(['first 1', 'first 1']);
  expect(seen.at(-1)).toBe('last 0');
});

test('the resume hook runs until no work is left, and the organization keeps its rows', async () => {
  await addRows(organizationId, 1);
  await save('stopped');
  await advance(after(100));
  expect(await found()).toEqual(['a_parent', 'b_child', 'stopped_organization']);
  await save('resuming');
  let left = 3;
  await advance(NOW, {
    async resume() {
      left -= 1;
      return left;
    },
  });
  expect(left).toBe(0);
  expect(await found()).toEqual(['a_parent', 'b_child']);
});

test('a failed deletion of an organization does not delay the deletion of others, and its error is reported', async () => {
  const [failing, other] = [organizationId, v7()];
  for (const id of [failing, other]) {
    await addRows(id, 1);
    await database.transaction({ organizationId: id }, (tx) =>
      saveStoppedState(tx, { organizationId: id, state: 'deleting', at: id === failing ? NOW : after(1) }),
    );
  }
  const hooks: OrganizationHooks = {
    async deleteFirst(_tx, id) {
      if (id === failing) throw new Error('this organization fails');
      return 0;
    },
  };
  await expect(advance(NOW, hooks)).rejects.toThrow('this organization fails');
  expect(await found(other)).toEqual(['stopped_organization']);
  expect(await found(failing)).toEqual(['a_parent', 'b_child', 'stopped_organization']);
  await advance();
  expect(await found(failing)).toEqual(['stopped_organization']);
});
