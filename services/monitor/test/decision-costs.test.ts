import type { Database, Transaction } from '@tocsin/database';
import { countRoundTrips } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import { recordResults } from '../src/app/rounds/record-results.ts';
import { settleRounds } from '../src/app/rounds/settle-rounds.ts';
import type { Monitor } from '../src/domain/monitors/monitor.ts';
import { insertResults } from '../src/storage/rounds/result-store.ts';
import { openRounds } from '../src/storage/rounds/round-store.ts';
import { recordOnline } from '../src/storage/rounds/staleness-store.ts';
import { historyFixture, resultOf } from './start-history.ts';

const fixture = await historyFixture('2026-03-01T12:00:00Z', ['a']);
afterAll(() => fixture[Symbol.asyncDispose]());
const { clock, database } = fixture;

test('a failed check that takes a monitor down is recorded in one round trip to the database before the commit', async () => {
  const monitor = await fixture.monitor({ confirmDownMinutes: 0, confirmDownAfter: 1 });
  const at = clock.now();
  const round = { monitorId: monitor.id, at, deadline: new Date(at.getTime() + 30_000), regions: ['a'] };
  await database.transaction('every organization', (tx) => openRounds(tx, [round]));
  let roundTrips = 0;
  const counting: Database['transaction'] = (scope, work) =>
    database.transaction(scope, async (tx) => {
      const counted = countRoundTrips(tx);
      const result = await work(counted);
      roundTrips += counted.roundTrips;
      return result;
    });
  const deps = { now: () => at, database: { transaction: counting } as Database };
  await recordResults(deps, [resultOf(monitor, { roundAt: at, outcome: 'fail', error: 'status 502' })]);
  const states = await database.transaction('every organization', (tx) =>
    tx.query('select state from monitor_state where monitor_id = $1', [monitor.id]),
  );
  expect(states).toEqual([{ state: 'down' }]);
  expect(await fixture.rows('outbox')).toBe(1);
  expect(roundTrips).toBe(1);
});

test('deciding rounds reads their results, and no others', async () => {
  const monitors = await Promise.all(Array.from({ length: 200 }, () => fixture.monitor()));
  const round = (minute: number) => {
    const at = new Date(clock.now().getTime() + minute * 60_000);
    return monitors.map((monitor) => ({ monitorId: monitor.id, at, deadline: at, regions: ['a'] }));
  };
  const resultsOf = (minute: number) =>
    round(minute).map(({ at }, index) => resultOf(monitors[index] as Monitor, { roundAt: at }));
  await database.transaction('every organization', async (tx) => {
    for (let minute = -100; minute < 0; minute += 1) insertResults(tx, resultsOf(minute));
  });

  const read = await database.transaction('every organization', async (tx) => {
    await openRounds(tx, round(0));
    insertResults(tx, resultsOf(0));
    const before = await rowsRead(tx);
    await settleRounds(
      tx,
      monitors.map(({ id }) => id),
      clock.now(),
    );
    return (await rowsRead(tx)) - before;
  });
  expect(await fixture.rows('open_round')).toBe(0);
  expect(read).toBe(monitors.length);
});

test('recording that the service is running takes one round trip to the database', async () => {
  const record = (at: Date) =>
    database.transaction('every organization', async (tx) => {
      const counted = countRoundTrips(tx);
      const periods = await recordOnline(counted, at, async () => at);
      return { periods: periods.length, roundTrips: counted.roundTrips };
    });
  const at = clock.now();
  await record(at);
  expect(await record(new Date(at.getTime() + 6_000))).toEqual({ periods: 1, roundTrips: 1 });
});

/** Returns the number of rows of results that the transaction has read so far, by scans and by indexes. */
async function rowsRead(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ rows: string }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_xact_user_tables
     where relname like 'check_result%'`,
  );
  return Number(row?.rows);
}
