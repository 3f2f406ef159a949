import { openDatabase } from '@tocsin/database';
import { testDatabase } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HEARTBEAT_DUE } from '../src/app/heartbeats/decide-due-heartbeats.ts';
import { ROLL_UP_DUE } from '../src/app/history/roll-up-results.ts';
import { LONG_DOWN_DUE } from '../src/storage/auto-disable/auto-disable-store.ts';
import { DELETION_DUE } from '../src/storage/history/deleted-monitor-store.ts';
import { migrations } from '../src/storage/migrations/index.ts';
import { entities } from '../src/storage/monitors/monitor-entity.ts';
import { SWEEP_DUE } from '../src/storage/rounds/sweep-due.ts';

const NOON = new Date('2026-07-01T12:00:00Z');
const after = (ms: number) => new Date(NOON.getTime() + ms);

const stack = new AsyncDisposableStack();
let isDue: (condition: string, at: Date) => Promise<boolean>;
let query: (sql: string, parameters?: readonly unknown[]) => Promise<unknown>;

beforeAll(async () => {
  const { url, runtimeUrl } = stack.use(await testDatabase('monitor'));
  const owner = stack.use(await openDatabase({ url, entities, migrations }));
  query = (sql, parameters) => owner.transaction('every organization', (tx) => tx.query(sql, parameters));
  // The rows of this test refer to no other rows.
  await query(`do $$ declare c record; begin
    for c in select conrelid::regclass as name, conname from pg_constraint
             where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace loop
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
    'a heartbeat is due 1.5 seconds ahead of its deadline',
    HEARTBEAT_DUE,
    `insert into heartbeat (monitor_id, organization_id, expected_seconds, misses, miss_at, due_at, last_error, window_at, window_count)
     select ${id}, ${id}, 60, 0, t.due_at, t.due_at, '', t.due_at, 0`,
    -1_500,
  ],
  [
    'a long down',
    LONG_DOWN_DUE,
    `insert into down_watch (monitor_id, organization_id, down_since, warnings, due_at) select ${id}, ${id}, now(), 0, t.due_at`,
    0,
  ],
  [
    'a deletion',
    DELETION_DUE,
    `insert into deleted_monitor (monitor_id, organization_id, deleted_at, due_at) select ${id}, ${id}, now(), t.due_at`,
    0,
  ],
])('%s', async (_name, condition, insert, aheadMs) => {
  expect(await isDue(condition, after(aheadMs))).toBe(false);
  const times = `(select $1::timestamptz + n * interval '1 minute' as due_at from generate_series(0, 9) n)`;
  await query(`${insert} from ${times} t`, [NOON]);
  expect(await isDue(condition, after(aheadMs - 1))).toBe(false);
  expect(await isDue(condition, after(aheadMs))).toBe(true);
});

test('the sweep is due for overdue rounds, for staleness checks, and to record that the service is running', async () => {
  expect(await isDue(SWEEP_DUE, NOON)).toBe(true);
  await query('insert into presence (since, seen_at) values ($1, $1)', [NOON]);
  expect(await isDue(SWEEP_DUE, NOON)).toBe(false);
  expect(await isDue(SWEEP_DUE, after(5_001))).toBe(true);
  expect(await isDue(SWEEP_DUE, after(-5_001))).toBe(true);
  await query(`insert into open_round (monitor_id, round_at, regions, deadline) values (${id}, $1, '{a}', $1)`, [NOON]);
  expect(await isDue(SWEEP_DUE, NOON)).toBe(false);
  expect(await isDue(SWEEP_DUE, after(1))).toBe(true);
  await query('delete from open_round');
  await query(
    `insert into silence_watch (monitor_id, organization_id, watched_from, look_at) values (${id}, ${id}, $1, $1)`,
    [after(1)],
  );
  expect(await isDue(SWEEP_DUE, NOON)).toBe(false);
  expect(await isDue(SWEEP_DUE, after(1))).toBe(true);
});

test('an hour is counted two minutes after its end, and results that arrive later are counted again', async () => {
  const count = (rolledTo: Date) =>
    query('update roll_up_progress set sealed_to = $1, rolled_to = $2', [NOON, rolledTo]);
  await count(NOON);
  const hourEnd = 3_600_000 + 120_000;
  expect(await isDue(ROLL_UP_DUE, after(hourEnd - 1))).toBe(false);
  expect(await isDue(ROLL_UP_DUE, after(hourEnd))).toBe(true);
  await count(after(-3_600_000));
  expect(await isDue(ROLL_UP_DUE, NOON)).toBe(true);
  await count(NOON);
  expect(await isDue(ROLL_UP_DUE, NOON)).toBe(false);
  await query(`insert into roll_up_due (monitor_id, organization_id, hour) values (${id}, ${id}, $1)`, [NOON]);
  expect(await isDue(ROLL_UP_DUE, NOON)).toBe(true);
});
