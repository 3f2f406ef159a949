import { openDatabase, protectByOrganization, sqlMigration } from '@tocsin/database';
import { testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { listOrganizationRows, outboxMigrations } from '../src/index.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const storage = stack.use(await testDatabase('sample'));
const tables = sqlMigration(
  '001-tables',
  `create table note (
     organization_id uuid not null, place text not null, number integer not null, text text, sealed_text text,
     text_sealed text, secret_hash bytea, key_hash text, heartbeat_token text, signing_secret text, secret_names text[],
     at timestamptz not null default '2026-11-23T12:00:00Z', primary key (place, number)
   );
   create table part (id uuid primary key, organization_id uuid not null) partition by hash (id);
   create table picture (id uuid primary key, organization_id uuid not null, content bytea);
   ${protectByOrganization('note')}
   ${protectByOrganization('picture')}`,
);
const database = stack.use(
  await openDatabase({ url: storage.url, entities: [], migrations: [...outboxMigrations, tables] }),
);

const query = (sql: string, ...values: unknown[]) =>
  database.transaction('every organization', (tx) => tx.query(sql, values));

const exported = {
  note: {
    organization_id: true,
    place: true,
    number: true,
    text: true,
    secret_names: true,
    at: true,
    secret_hash: false,
  },
  picture: { id: true, organization_id: true },
  part: false,
} as const;

/** Returns the rows of all pages, and the number of pages. */
async function readAll(organizationId: string) {
  const rows: { table: string; row: Record<string, unknown> }[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await listOrganizationRows(database, { organizationId, cursor, exported });
    rows.push(...page.rows.map((row) => JSON.parse(row)));
    cursor = page.next;
    pages += 1;
  } while (cursor !== undefined);
  return { rows, pages };
}

test('the returned rows have only the columns that are exported', async () => {
  const organizationId = v7();
  await query(
    `insert into note (organization_id, place, number, text, sealed_text, text_sealed, secret_hash, key_hash,
       heartbeat_token, signing_secret, secret_names)
     values ($1, 'a', 1, 'hello', 's1', 's2', 's3', 's4', 's5', 's6', '{TOKEN}')`,
    organizationId,
  );
  const { rows } = await readAll(organizationId);
  expect(rows).toEqual([
    {
      table: 'note',
      row: {
        organization_id: organizationId,
        place: 'a',
        number: 1,
        text: 'hello',
        secret_names: ['TOKEN'],
        at: '2026-11-23T12:00:00+00:00',
      },
    },
  ]);
});

test('pages contain each row once, in the order of the primary key, and no row of another organization', async () => {
  const [organizationId, other] = [v7(), v7()];
  const add = (owner: string, place: string, count: number) =>
    query(
      'insert into note (organization_id, place, number) select $1, $2, generate_series(1, $3)',
      owner,
      place,
      count,
    );
  await add(organizationId, 'b', 600);
  await add(organizationId, 'c', 700);
  await add(other, 'd', 10);
  await query('insert into picture select gen_random_uuid(), $1 from generate_series(1, 2)', organizationId);
  const { rows, pages } = await readAll(organizationId);
  expect(pages).toBe(3);
  expect(rows.filter(({ table }) => table === 'picture')).toHaveLength(2);
  const notes = rows.filter(({ table }) => table === 'note').map(({ row }) => `${row.place} ${row.number}`);
  const numbers = (place: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${place} ${index + 1}`);
  expect(notes).toEqual([...numbers('b', 600), ...numbers('c', 700)]);
});

test('a page ends after 512 KiB', async () => {
  const organizationId = v7();
  await query(
    `insert into note (organization_id, place, number, text)
     select $1, 'e', generate_series(1, 6), repeat('x', 200 * 1024)`,
    organizationId,
  );
  const { rows, pages } = await readAll(organizationId);
  expect([rows.length, pages]).toEqual([6, 3]);
});

test.each(['nonsense', '{}', '["pg_class",["1"]]', '["note",["a"]]', '["note",[1,2]]', '[]'])(
  'the cursor %s, which no page of the list contains, is refused',
  async (cursor) => {
    await expect(listOrganizationRows(database, { organizationId: v7(), cursor, exported })).rejects.toMatchObject({
      kind: 'invalid',
      fields: { cursor: ['is not a cursor of this list'] },
    });
  },
);
