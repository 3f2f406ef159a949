import { openDatabase } from '@tocsin/database';
import { testDatabase } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ANNOUNCEMENT_DUE } from '../src/storage/announcement-store.ts';
import { FRESHNESS_DUE } from '../src/storage/freshness-store.ts';
import { LOGO_DUE } from '../src/storage/logo-store.ts';
import { migrations } from '../src/storage/migrations/index.ts';
import { entities } from '../src/storage/schema.ts';

const NOON = new Date('2026-07-01T12:00:00Z');
const BEFORE = new Date(NOON.getTime() - 1);

const stack = new AsyncDisposableStack();
let isDue: (condition: string, at: Date) => Promise<boolean>;
let query: (sql: string, parameters?: readonly unknown[]) => Promise<unknown>;

beforeAll(async () => {
  const { url, runtimeUrl } = stack.use(await testDatabase('statuspage'));
  const owner = stack.use(await openDatabase({ url, entities, migrations }));
  query = (sql, parameters) => owner.transaction('every organization', (tx) => tx.query(sql, parameters));
  // The rows of this test refer to no other rows.
  await query(`do $$ declare c record; begin
    for c in select conrelid::regclass as name, conname from pg_constraint
             where contype = 'f' and connamespace = current_schema()::regnamespace loop
      execute format('alter table %s drop constraint %I', c.name, c.conname);
    end loop;
  end $$`);
  const database = stack.use(await openDatabase({ url: runtimeUrl, ownerUrl: url, entities, migrations }));
  isDue = async (condition, at) => {
    const sql = `select $1::timestamptz as now, (${condition}) <= $1 as due`;
    const [row] = await database.read<{ due: boolean | null }>('every organization', sql, [at]);
    return row?.due === true;
  };
});

afterAll(() => stack.disposeAsync());

const id = 'gen_random_uuid()';

test.each([
  [
    'the freshness of monitors',
    FRESHNESS_DUE,
    `insert into monitor_condition (monitor_id, organization_id, enabled, state, is_overdue, freshness_check_at)
     select ${id}, ${id}, true, 'up', false, t.due_at`,
  ],
  [
    'logos',
    LOGO_DUE,
    `insert into page_logo (status_page_id, organization_id, variant, url, fetch_at, failures)
     select ${id}, ${id}, 'light', 'https://example.com/', t.due_at, 0`,
  ],
  [
    'announcements',
    ANNOUNCEMENT_DUE,
    `insert into announcement (status_page_id, disruption_id, organization_id, due_at) select ${id}, ${id}, ${id}, t.due_at`,
  ],
])('%s are due at their time, and not before', async (_name, condition, insert) => {
  expect(await isDue(condition, NOON)).toBe(false);
  const times = `(select $1::timestamptz + n * interval '1 minute' as due_at from generate_series(0, 9) n)`;
  await query(`${insert} from ${times} t`, [NOON]);
  expect(await isDue(condition, BEFORE)).toBe(false);
  expect(await isDue(condition, NOON)).toBe(true);
});
