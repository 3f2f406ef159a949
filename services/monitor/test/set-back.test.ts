import { CheckType, MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { recordOnline } from '../src/storage/rounds/staleness-store.ts';
import { CONFIG, monitorFixture, publishedChanges, type Region, startChecker } from './start-monitor.ts';

const AHEAD_MS = 10 * 60_000;
const fixture = await monitorFixture();
afterAll(() => fixture[Symbol.asyncDispose]());
const { clientOf } = await fixture.start();
let see: Region = () => 'pass';
const checker = await startChecker(fixture.nats, 'local', (job) => see(job));

const monitor = {
  name: 'Shop',
  checkType: CheckType.HTTP,
  configJson: CONFIG,
  intervalSeconds: 30,
  confirmDownMinutes: 0,
  confirmUpMinutes: 0,
};

/** Creates a monitor whose checks pass. Returns its id, a client, and a function that waits for a state. */
async function createShop() {
  const client = await clientOf(v7());
  see = () => 'pass';
  const { id = '' } = (await client.createMonitor(monitor)).monitor ?? {};
  const becomes = (state: MonitorState) =>
    eventually(async () => expect((await client.getMonitorState({ id })).state).toBe(state));
  return { client, id, becomes };
}

test('after the clock is set back, a monitor is checked and its outage is detected', async () => {
  const { client, id, becomes } = await createShop();
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

test('after the clock is set back, an outage ends under the id with which it began, and the next one has another id', async () => {
  const { id, becomes } = await createShop();
  await becomes(MonitorState.UP);
  fixture.clock.advance(AHEAD_MS);
  see = () => 'fail';
  await fixture.pass(30_000);
  await becomes(MonitorState.DOWN);
  fixture.clock.advance(-AHEAD_MS);
  see = () => 'pass';
  await fixture.pass(30_000);
  await becomes(MonitorState.UP);
  see = () => 'fail';
  await fixture.pass(30_000);
  await becomes(MonitorState.DOWN);

  await eventually(async () => {
    const changes = (await publishedChanges(fixture.nats)).filter((change) => change.monitor?.id === id);
    expect(changes.map(({ state }) => state)).toEqual([
      MonitorState.UP,
      MonitorState.DOWN,
      MonitorState.UP,
      MonitorState.DOWN,
    ]);
    const [, down, up, next] = changes;
    expect(up?.outageId).toBe(down?.outageId);
    expect(next?.outageId).not.toBe(down?.outageId);
    // No consumer calculates a negative downtime.
    expect(up?.previousEnteredAt).toEqual(up?.enteredAt);
    expect(Number(up?.enteredAt?.seconds) * 1_000).toBeLessThanOrEqual(fixture.clock.now().getTime());
  });
});

test.each([
  ['unchanged', []],
  ['changed', [{ name: 'Store' }]],
  ['disabled and enabled', [{ enabled: false }, { enabled: true }]],
])(
  'results of a time that passes twice are kept, and decide no round of the second time, of a monitor that is %s',
  async (_, changes) => {
    const { client, id } = await createShop();
    const count = () => fixture.results(id);
    /** Lets rounds take place, and returns once each has its result. */
    const rounds = async (expected: number) => {
      const before = await count();
      for (let round = 1; round <= expected; round += 1) {
        await fixture.pass(30_000);
        await eventually(async () => expect(await count()).toBe(before + round));
      }
    };
    await eventually(async () => expect(await count()).toBe(1));
    // A few seconds after the scheduled time of a round, the round has this time, and not that of the clock.
    const scheduled = 'select next_round_at as at from schedule where monitor_id = $1';
    const [next] = await fixture.tables.transaction('every organization', (tx) =>
      tx.query<{ at: Date }>(scheduled, [id]),
    );
    fixture.clock.advance((next?.at.getTime() ?? 0) - fixture.clock.now().getTime() + 5_000);
    await eventually(async () => expect(await count()).toBe(2));
    // The first time, all checks fail. The second time, all pass, so that no old result may take the monitor down.
    const start = fixture.clock.now();
    // A round can have the time of the clock. The clock is not set to a time that it showed before.
    start.setMilliseconds(start.getMilliseconds() + 1_234);
    see = () => 'fail';
    await rounds(6);
    const failed = await count();
    fixture.clock.advance(start.getTime() - fixture.clock.now().getTime());
    see = () => 'pass';
    await eventually(async () => expect(await count()).toBe(failed + 1));
    fixture.clock.advance(1_000);
    for (const change of changes) await client.updateMonitor({ id, ...change });
    // A change starts a round at once.
    await eventually(async () => expect(await count()).toBe(failed + (changes.length === 0 ? 1 : 2)));
    await eventually(async () => expect((await client.getMonitorState({ id })).state).toBe(MonitorState.UP));
    await rounds(5);
    expect((await client.getMonitorState({ id })).state).toBe(MonitorState.UP);
    const events = (await publishedChanges(fixture.nats)).filter((event) => event.monitor?.id === id);
    expect(events.filter(({ state }) => state === MonitorState.DOWN)).toHaveLength(1);
  },
);

test('hours that pass twice are counted again', async () => {
  const read = () =>
    fixture.tables.transaction('every organization', (tx) =>
      tx.query<{ to: Date }>('select greatest(sealed_to, rolled_to) as to from roll_up_progress'),
    );
  const begin = fixture.clock.now();
  fixture.clock.advance(2 * 3_600_000);
  const hour = Math.floor(begin.getTime() / 3_600_000) * 3_600_000;
  await eventually(async () => expect((await read())[0]?.to.getTime()).toBeGreaterThan(hour));
  await fixture.pass(30_000);
  fixture.clock.advance(-2 * 3_600_000);
  // The service looks again after a few seconds.
  await fixture.pass(10_000);
  await eventually(async () => expect((await read())[0]?.to.getTime()).toBeLessThanOrEqual(hour));
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
  const { id } = await createShop();
  await eventually(async () => expect(await fixture.results(id)).toBe(1));
  const earlier = new Date(fixture.clock.now().getTime() - 60_000);
  await fixture.tables.transaction('every organization', (tx) =>
    recordOnline(tx, earlier, async () => fixture.clock.now()),
  );
  expect(await fixture.results(id)).toBe(1);
});
