import { CheckType, MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { recordOnline } from '../src/storage/rounds/staleness-store.ts';
import { CONFIG, monitorFixture, type Region, startChecker } from './start-monitor.ts';

const AHEAD_MS = 10 * 60_000;
const fixture = await monitorFixture();
afterAll(() => fixture[Symbol.asyncDispose]());
const { clientOf } = await fixture.start();
let see: Region = () => 'pass';
const checker = await startChecker(fixture.nats, 'local', (job) => see(job));

const monitor = { name: 'Shop', intervalSeconds: 30, confirmDownMinutes: 0, confirmUpMinutes: 0 };

test('after the clock is set back, a monitor is checked and its outage is detected', async () => {
  const client = await clientOf(v7());
  const shop = { ...monitor, checkType: CheckType.HTTP, configJson: CONFIG };
  const { id = '' } = (await client.createMonitor(shop)).monitor ?? {};
  const becomes = (state: MonitorState) =>
    eventually(async () => expect((await client.getMonitorState({ id })).state).toBe(state));
  await becomes(MonitorState.UP);

  // An outage and its end are recorded with future times.
  fixture.clock.advance(AHEAD_MS);
  see = () => 'fail';
  await becomes(MonitorState.DOWN);
  see = () => 'pass';
  await fixture.pass(30_000);
  await becomes(MonitorState.UP);

  const { length: before } = checker.seen;
  fixture.clock.advance(-AHEAD_MS);
  await eventually(() => expect(checker.seen.length).toBeGreaterThan(before));
  see = () => 'fail';
  await fixture.pass(30_000);
  await becomes(MonitorState.DOWN);
  const { enteredAt } = await client.getMonitorState({ id });
  expect(Number(enteredAt?.seconds) * 1_000).toBeLessThanOrEqual(fixture.clock.now().getTime());

  // The clock was set back, so this hour passes a second time. New results decide its rounds.
  see = () => 'pass';
  await fixture.pass(AHEAD_MS + 60_000);
  await becomes(MonitorState.UP);
});

test('after the clock is set back, a job that stops pinging is detected', async () => {
  const client = await clientOf(v7());
  const job = { ...monitor, checkType: CheckType.HEARTBEAT, configJson: JSON.stringify({ expected_interval: 20 }) };
  const { id = '' } = (await client.createMonitor(job)).monitor ?? {};
  const sql = 'update heartbeat set miss_at = $2, due_at = $2 where monitor_id = $1';
  const later = new Date(fixture.clock.now().getTime() + AHEAD_MS);
  await fixture.tables.transaction('every organization', async (tx) => {
    await tx.query(sql, [id, later]);
    await recordOnline(tx, later, async () => later);
  });
  // Every few seconds, the service records that it is running. When it does so, it detects the recorded future time.
  fixture.clock.advance(10_000);
  const isDueSoon = 'select from heartbeat where monitor_id = $1 and due_at < $2';
  await eventually(async () => {
    const rows = await fixture.tables.transaction('every organization', (tx) => tx.query(isDueSoon, [id, later]));
    expect(rows).toHaveLength(1);
  });
  fixture.clock.advance(45_000);
  await eventually(async () => expect((await client.getMonitorState({ id })).state).toBe(MonitorState.DOWN));
});

test('recording that the service was running at an earlier time deletes no results if the clock was not set back', async () => {
  const client = await clientOf(v7());
  const shop = { ...monitor, checkType: CheckType.HTTP, configJson: CONFIG };
  const { id = '' } = (await client.createMonitor(shop)).monitor ?? {};
  await eventually(async () => expect(await fixture.results(id)).toBe(1));
  const earlier = new Date(fixture.clock.now().getTime() - 60_000);
  await fixture.tables.transaction('every organization', (tx) =>
    recordOnline(tx, earlier, async () => fixture.clock.now()),
  );
  expect(await fixture.results(id)).toBe(1);
});
