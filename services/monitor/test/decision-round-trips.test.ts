import { countRoundTrips } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import { settleRounds } from '../src/app/rounds/settle-rounds.ts';
import { insertResults } from '../src/storage/rounds/result-store.ts';
import { openRounds } from '../src/storage/rounds/round-store.ts';
import { historyFixture, resultOf } from './start-history.ts';

const fixture = await historyFixture('2026-03-01T12:00:00Z', ['a']);
afterAll(() => fixture[Symbol.asyncDispose]());
const { clock, database } = fixture;

test('a round that takes a monitor down is decided in two round trips to the database', async () => {
  const monitor = await fixture.monitor({ confirmDownMinutes: 0, confirmDownAfter: 1 });
  const at = clock.now();
  const round = { monitorId: monitor.id, at, deadline: new Date(at.getTime() + 30_000), regions: ['a'] };
  const roundTrips = await database.transaction('every organization', async (tx) => {
    await openRounds(tx, [round]);
    const counted = countRoundTrips(tx);
    insertResults(counted, [resultOf(monitor, { roundAt: at, outcome: 'fail', error: 'status 502' })]);
    await settleRounds(counted, [monitor.id], at);
    return counted.roundTrips;
  });
  const states = await database.transaction('every organization', (tx) =>
    tx.query('select state from monitor_state where monitor_id = $1', [monitor.id]),
  );
  expect(states).toEqual([{ state: 'down' }]);
  expect(await fixture.rows('outbox')).toBe(1);
  expect(roundTrips).toBe(2);
});
