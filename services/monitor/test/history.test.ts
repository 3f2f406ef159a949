import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '@tocsin/database';
import { pagingOf } from '@tocsin/paging';
import { testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { deleteHistory, LATE_ROWS_MS } from '../src/app/history/delete-history.ts';
import { listRuns, type RunList } from '../src/app/history/list-runs.ts';
import { listTransitions } from '../src/app/history/list-transitions.ts';
import { deleteMonitor } from '../src/app/monitors/delete-monitor.ts';
import { updateMonitor } from '../src/app/monitors/update-monitor.ts';
import { settleOverdueRounds } from '../src/app/rounds/settle-rounds.ts';
import { startDueRounds } from '../src/app/rounds/start-due-rounds.ts';
import type { Monitor } from '../src/domain/monitors/monitor.ts';
import { dropOldPartitions } from '../src/storage/history/partitions.ts';
import { migrations } from '../src/storage/migrations/index.ts';
import { schedule } from '../src/storage/rounds/schedule-store.ts';
import { certificate, historyFixture, resultOf } from './start-history.ts';

const SECOND = 1_000;
const DAY = 86_400_000;
const fixture = await historyFixture('2026-03-01T12:00:00Z');
afterAll(() => fixture[Symbol.asyncDispose]());
const { clock, database, deps } = fixture;

/** Creates and schedules a monitor with an interval of 30 s, whose state changes need no confirmation. */
async function running(): Promise<Monitor> {
  const monitor = await fixture.monitor({
    intervalSeconds: 30,
    timeoutMs: 1_000,
    confirmDownMinutes: 0,
    confirmUpMinutes: 0,
  });
  await database.transaction(monitor, async (tx) => schedule(tx, [monitor], clock.now()));
  return monitor;
}

/** Returns the times of the undecided rounds, the latest first. */
async function openRounds({ id, organizationId }: Monitor): Promise<Date[]> {
  const sql = 'select round_at from open_round where monitor_id = $1 order by round_at desc';
  const rows = await database.transaction({ organizationId }, (tx) => tx.query<{ round_at: Date }>(sql, [id]));
  return rows.map((row) => row.round_at);
}

/** Returns the time of the latest undecided round. */
async function openRound(monitor: Monitor): Promise<Date> {
  const [latest] = await openRounds(monitor);
  if (!latest) throw new Error('no round was sent out');
  return latest;
}

const runs = (monitor: Monitor, page: Partial<RunList> = {}) =>
  listRuns(deps, monitor.organizationId, { monitorId: monitor.id, limit: 50, cursor: undefined, ...page });
const transitions = (monitor: Monitor, page: { limit?: number; cursor?: string | undefined } = {}) =>
  listTransitions(deps, monitor.organizationId, {
    monitorId: monitor.id,
    paging: pagingOf(page.limit ?? 0, page.cursor ?? ''),
  });

async function outcomes(monitor: Monitor): Promise<[number, string[]][]> {
  const now = clock.now().getTime();
  const { runs: found } = await runs(monitor);
  return found.map(({ roundAt, results }) => [
    Math.round((roundAt.getTime() - now) / SECOND),
    results.map(({ region, outcome }) => `${region} ${outcome}`),
  ]);
}

test('a run has the outcome unknown for every region without a result, even if the whole round was missed', async () => {
  const monitor = await running();
  await startDueRounds(deps);
  const first = await openRound(monitor);
  await fixture.record(resultOf(monitor, { roundAt: first }), resultOf(monitor, { roundAt: first, region: 'b' }));
  clock.advance(60 * SECOND);
  await startDueRounds(deps);
  const silent = await openRound(monitor);
  clock.advance(45 * SECOND);
  await settleOverdueRounds(deps, clock.now());
  // The service does not start rounds for five minutes.
  clock.advance(300 * SECOND);
  await startDueRounds(deps);
  const open = await openRound(monitor);
  await fixture.record(resultOf(monitor, { roundAt: open, region: 'b', outcome: 'fail', error: 'status 502' }));
  clock.advance(60 * SECOND);

  const found = await outcomes(monitor);
  const at = (time: Date) => Math.round((time.getTime() - clock.now().getTime()) / SECOND);
  const unknown = ['a unknown', 'b unknown'];
  expect(found[0]).toEqual([at(open), ['a unknown', 'b fail']]);
  expect(found.at(-1)).toEqual([at(first), ['a pass', 'b pass']]);
  expect(found).toContainEqual([at(silent), unknown]);
  const between = found.slice(1, -1);
  expect(between.map(([, results]) => results)).toEqual(between.map(() => unknown));
  const steps = between.slice(1).map(([time], index) => (between[index]?.[0] ?? 0) - time);
  // Every scheduled time has a round, and a delayed round may lie between two scheduled times.
  expect(Math.max(...steps)).toBe(30);
  expect(Math.min(...steps)).toBeGreaterThan(0);
  expect(between.length).toBeGreaterThanOrEqual(11);
});

test('runs are listed in pages, newest first, without gaps or duplicates', async () => {
  const monitor = await fixture.monitor();
  const times = Array.from({ length: 7 }, (_, index) => new Date(clock.now().getTime() - index * 30 * SECOND));
  for (const roundAt of times) {
    await fixture.record(resultOf(monitor, { roundAt }), resultOf(monitor, { roundAt, region: 'b' }));
  }
  const seen: Date[] = [];
  let cursor: string | undefined;
  do {
    const page = await runs(monitor, { limit: 3, cursor });
    seen.push(...page.runs.map(({ roundAt }) => roundAt));
    cursor = page.nextCursor;
  } while (cursor);
  expect(seen).toEqual(times);
  await expect(runs(monitor, { cursor: 'nonsense' })).rejects.toMatchObject({ kind: 'invalid' });
});

test('runs before a given time can be listed, and the cursor continues this list', async () => {
  const monitor = await fixture.monitor();
  const times = Array.from({ length: 4 }, (_, index) => new Date(clock.now().getTime() - index * 30 * SECOND));
  for (const roundAt of times) await fixture.record(resultOf(monitor, { roundAt }));
  const before = times[1];
  const first = await runs(monitor, { limit: 1, before });
  expect(first.runs.map(({ roundAt }) => roundAt)).toEqual([times[2]]);
  const second = await runs(monitor, { limit: 1, before, cursor: first.nextCursor });
  expect(second.runs.map(({ roundAt }) => roundAt)).toEqual([times[3]]);
});

test('a run contains all details of its results', async () => {
  const monitor = await fixture.monitor();
  const phases = { dns: 1.5, connect: 2, tls: 3, firstByte: 40, total: 50 };
  const result = resultOf(monitor, {
    roundAt: clock.now(),
    outcome: 'fail',
    error: 'status 502',
    statusCode: 502,
    phases,
  });
  await fixture.record(result, result);
  expect((await runs(monitor)).runs).toEqual([{ id: expect.any(String), roundAt: clock.now(), results: [result] }]);
});

test('state changes are stored with the votes and the rule that caused them, and are listed in pages', async () => {
  const monitor = await running();
  for (const outcome of ['pass', 'fail', 'pass'] as const) {
    await startDueRounds(deps);
    const roundAt = await openRound(monitor);
    const seen = { roundAt, outcome, error: outcome === 'fail' ? 'status 502' : '' };
    const results = [resultOf(monitor, seen), resultOf(monitor, { ...seen, region: 'b' })];
    await fixture.record(...results);
    await fixture.record(...results);
    clock.advance(30 * SECOND);
  }
  await updateMonitor(deps, monitor.organizationId, monitor.id, { enabled: false });
  await updateMonitor(deps, monitor.organizationId, monitor.id, { enabled: true });
  const all = (await transitions(monitor)).transitions;
  expect(all.map(({ previousState, state, rule }) => [previousState, state, rule])).toEqual([
    ['up', 'pending', 'enabled'],
    ['down', 'up', 'confirmed_up'],
    ['up', 'down', 'confirmed_down'],
    ['pending', 'up', 'first_pass'],
  ]);
  expect(all[0]).toMatchObject({ streak: undefined, votes: [] });
  expect(all[2]).toMatchObject({
    error: 'status 502',
    explanation: '2 of 2 regions failed: status 502',
    streak: { rounds: 1, since: all[2]?.enteredAt },
    votes: [
      { region: 'a', outcome: 'fail', error: 'status 502' },
      { region: 'b', outcome: 'fail', error: 'status 502' },
    ],
  });
  const page = await transitions(monitor, { limit: 3 });
  const rest = await transitions(monitor, { limit: 3, cursor: page.nextCursor });
  expect([...page.transitions, ...rest.transitions]).toEqual(all);
  expect(rest.nextCursor).toBeUndefined();
});

test("history is deleted after 90 days, and tomorrow's partition always exists", async () => {
  const keep = () => database.transaction('every organization', (tx) => dropOldPartitions(tx, clock.now()));
  await fixture.beginNow();
  const monitor = await running();
  await startDueRounds(deps);
  const roundAt = await openRound(monitor);
  await fixture.record(resultOf(monitor, { roundAt }), resultOf(monitor, { roundAt, region: 'b' }));
  clock.advance(DAY);
  await fixture.rollUp();
  const mine = async () =>
    Promise.all(
      ['check_result', 'result_hour', 'result_day', 'transition'].map((table) =>
        fixture.rows(table, monitor.organizationId),
      ),
    );
  expect(await mine()).toEqual([2, 2, 2, 1]);
  clock.advance(89 * DAY);
  await keep();
  expect(await mine()).toEqual([2, 2, 2, 1]);
  clock.advance(DAY);
  await keep();
  expect(await mine()).toEqual([0, 0, 0, 0]);
  await fixture.record(resultOf(monitor, { roundAt: clock.now() }));
  expect(await fixture.rows('check_result', monitor.organizationId)).toBe(1);
});

const TABLES = [
  ...['check_result', 'result_hour', 'result_day', 'roll_up_due', 'transition', 'silence', 'certificate'],
  'certificate_notice',
];

test("an organization can't see the history rows of another organization, and deleting a monitor deletes its rows", async () => {
  await fixture.beginNow();
  const monitor = await running();
  const { organizationId } = monitor;
  await startDueRounds(deps);
  const roundAt = await openRound(monitor);
  const seen = { roundAt, certificate: certificate('soon', new Date(clock.now().getTime() + 3 * DAY)) };
  await fixture.record(resultOf(monitor, seen), resultOf(monitor, { ...seen, region: 'b' }));
  clock.advance(DAY - 60 * SECOND);
  await startDueRounds(deps);
  await fixture.rollUp();
  clock.advance(DAY);
  await fixture.rollUp();
  await database.transaction(monitor, (tx) =>
    tx.query('insert into roll_up_due (monitor_id, organization_id, hour) values ($1, $2, $3)', [
      monitor.id,
      organizationId,
      roundAt,
    ]),
  );
  const rowsOf = (organization: string) => Promise.all(TABLES.map((table) => fixture.rows(table, organization)));
  expect((await rowsOf(organizationId)).map((rows) => rows > 0)).toEqual(TABLES.map(() => true));
  expect(await rowsOf(v7())).toEqual(TABLES.map(() => 0));
  await deleteMonitor(deps, organizationId, monitor.id);
  await deleteDueHistory();
  expect(await rowsOf(organizationId)).toEqual(TABLES.map(() => 0));
});

test('the history of a deleted monitor is deleted one day at a time, with rows that arrive soon after the deletion', async () => {
  await fixture.beginNow();
  const [monitor, other] = [await running(), await running()];
  const { organizationId } = monitor;
  for (const days of [3, 2, 1]) {
    const roundAt = new Date(clock.now().getTime() - days * DAY);
    await insertResult(monitor, roundAt);
    await insertResult(other, roundAt);
  }
  const results = () => fixture.rows('check_result', organizationId);
  await deleteMonitor(deps, organizationId, monitor.id);
  expect(await results()).toBe(3);
  await deleteHistory(deps);
  expect(await results()).toBe(2);
  await deleteDueHistory();
  expect(await results()).toBe(0);

  await insertResult(monitor, clock.now());
  await deleteDueHistory();
  expect(await results()).toBe(1);
  clock.advance(LATE_ROWS_MS);
  await deleteDueHistory();
  expect(await results()).toBe(0);
  expect(await fixture.rows('deleted_monitor', organizationId)).toBe(0);
  expect(await fixture.rows('check_result', other.organizationId)).toBe(3);
});

/** Deletes all history of deleted monitors that is due. */
async function deleteDueHistory(): Promise<void> {
  while ((await deleteHistory(deps)) === 'again');
}

/** Inserts a result of any age, even if the monitor was deleted. */
async function insertResult({ id, organizationId }: Monitor, roundAt: Date): Promise<void> {
  await database.transaction({ organizationId }, (tx) =>
    tx.query(
      `insert into check_result (monitor_id, organization_id, round_at, region, outcome, error, checked_at)
       values ($1, $2, $3, 'a', 'pass', '', $3)`,
      [id, organizationId, roundAt],
    ),
  );
}

test('a monitor that is disabled while its round is being opened keeps no open round', async () => {
  await fixture.beginNow();
  const monitor = await running();
  const opened = Promise.withResolvers<void>();
  const proceed = Promise.withResolvers<void>();
  const send = async () => {
    opened.resolve();
    await proceed.promise;
  };
  const starting = startDueRounds({ ...deps, checkers: { ...deps.checkers, send } });
  await opened.promise;
  const disabling = updateMonitor(deps, monitor.organizationId, monitor.id, { enabled: false });
  // Give the update time to reach the lock on the schedule.
  await delay(200);
  proceed.resolve();
  await Promise.all([starting, disabling]);
  expect(await openRounds(monitor)).toEqual([]);
});

test('an overdue round of a disabled monitor is deleted without a decision', async () => {
  await fixture.beginNow();
  const monitor = await running();
  await startDueRounds(deps);
  await database.transaction(monitor, (tx) =>
    tx.query('update monitor set enabled = false where id = $1', [monitor.id]),
  );
  clock.advance(60 * SECOND);
  await settleOverdueRounds(deps, clock.now());
  expect(await openRounds(monitor)).toEqual([]);
});

test('the history migration gives stored results an organization and includes them in the roll-up', async () => {
  await using schema = await testDatabase('before');
  const [name] = migrations.flatMap((migration, index) => (migration.name === '003-history' ? [index] : []));
  const earlier = migrations.slice(0, name);
  const [monitorId, organizationId] = [v7(), v7()];
  await using old = await openDatabase({ url: schema.url, entities: [], migrations: earlier });
  await old.transaction('every organization', async (tx) => {
    await tx.query(
      `insert into monitor (id, organization_id, name, check_type, enabled, interval_seconds, timeout_ms, confirm_down_minutes,
         confirm_up_minutes, confirm_down_after, confirm_up_after, config_json, alert_channel_ids, version, created_at, updated_at)
       values ($1, $2, 'Shop', 'http', true, 60, 1000, 1, 1, 1, 1, '{}', '{}', 1, now(), now())`,
      [monitorId, organizationId],
    );
    await tx.query(
      "create table check_result_20260301 partition of check_result for values from ('2026-03-01Z') to ('2026-03-02Z')",
    );
    await tx.query(
      `insert into check_result (monitor_id, round_at, region, outcome, error, checked_at)
       values ($1, '2026-03-01T10:20:00Z', 'a', 'pass', '', now())`,
      [monitorId],
    );
  });
  await using now = await openDatabase({ url: schema.url, entities: [], migrations });
  const read = (sql: string) => now.transaction({ organizationId }, (tx) => tx.query(sql));
  expect(await read('select organization_id from check_result')).toEqual([{ organization_id: organizationId }]);
  expect(await read('select rolled_to from roll_up_progress')).toEqual([
    { rolled_to: new Date('2026-03-01T10:00:00Z') },
  ]);
});
