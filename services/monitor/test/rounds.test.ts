import { timestampMs } from '@bufbuild/protobuf/wkt';
import { CheckType, MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { offsetOf } from '../src/domain/rounds/timetable.ts';
import { CONFIG, monitorFixture, publishedChanges, type Region, response, startChecker } from './start-monitor.ts';

const fixture = await monitorFixture(['a', 'b', 'c']);
const first = await fixture.start();
await fixture.start(); // a second replica shares the work of every test in this file
afterAll(() => fixture[Symbol.asyncDispose]());

const sees: Record<string, Region> = {};
const checkers: Awaited<ReturnType<typeof startChecker>>[] = [];
beforeAll(async () => {
  for (const region of ['a', 'b', 'c']) {
    checkers.push(await startChecker(fixture.nats, region, (job) => (sees[region] ?? (() => 'pass'))(job)));
  }
});

function everyRegionSees(outcome: 'pass' | 'fail' | undefined): void {
  for (const region of ['a', 'b', 'c']) sees[region] = () => outcome;
}

async function createMonitor(confirm: { down: number; up: number }) {
  const organizationId = v7();
  const client = await first.clientOf(organizationId);
  const { monitor } = await client.createMonitor({
    name: 'Shop',
    checkType: CheckType.HTTP,
    configJson: CONFIG,
    intervalSeconds: 30,
    confirmDownMinutes: confirm.down,
    confirmUpMinutes: confirm.up,
  });
  const id = monitor?.id ?? '';
  const state = async () => (await client.getMonitorState({ id })).state;
  const jobs = () => checkers.flatMap(({ seen }) => seen).filter((job) => job.monitorId === id);
  const changes = async () => (await publishedChanges(fixture.nats)).filter((change) => change.monitor?.id === id);
  /** Starts the next round and waits until it is decided. */
  const nextRound = async () => {
    await sendRound(jobs);
    await eventually(async () => expect(await fixture.openRounds(id)).toBe(0));
  };
  return { client, id, state, jobs, changes, nextRound };
}

/** Starts the next round and waits until the checkers have received each of its jobs. */
async function sendRound(jobs: () => unknown[]): Promise<void> {
  const before = jobs().length;
  fixture.clock.advance(30_000);
  await eventually(() => expect(jobs().length).toBe(before + 3));
}

test('the first round runs at once in every region, and one pass moves the monitor to up', async () => {
  everyRegionSees('pass');
  const { client, id, state, jobs, changes } = await createMonitor({ down: 1, up: 3 });
  await eventually(async () => expect(await state()).toBe(MonitorState.UP));
  expect(jobs()).toHaveLength(3);
  const record = await client.getMonitorState({ id });
  expect(record).toMatchObject({ state: MonitorState.UP, previousState: MonitorState.PENDING });
  await eventually(async () => expect(await changes()).toHaveLength(1));
});

test('a minute of failed rounds confirms the down state once, and repeated or late results have no effect', async () => {
  everyRegionSees('pass');
  const { state, jobs, changes, nextRound } = await createMonitor({ down: 1, up: 0 });
  await eventually(async () => expect(await state()).toBe(MonitorState.UP));
  everyRegionSees('fail');
  for (let round = 0; round < 3; round += 1) {
    expect(await state()).toBe(MonitorState.UP);
    await nextRound();
  }
  await eventually(async () => expect(await state()).toBe(MonitorState.DOWN));

  // Each result is sent again, with the opposite outcome and in a different order.
  for (const job of jobs().reverse()) {
    for (const region of ['c', 'a', 'b']) await response(fixture.nats, job, region, 'pass');
  }
  everyRegionSees('pass');
  await nextRound();
  await eventually(async () => expect(await state()).toBe(MonitorState.UP));

  await eventually(async () => expect(await changes()).toHaveLength(3));
  const [, down] = await changes();
  expect(down).toMatchObject({
    state: MonitorState.DOWN,
    previousState: MonitorState.UP,
    error: 'status 502, expected 200 to 399',
    // Two failures decide the round before the result of the third region arrives.
    explanation: expect.stringMatching(/^[23] of 3 regions failed for 1 min: status 502, expected 200 to 399$/),
  });
});

test('one failing region of three does not change the state, and two failing regions decide the round without the third', async () => {
  everyRegionSees('pass');
  const { state, nextRound } = await createMonitor({ down: 0, up: 0 });
  await eventually(async () => expect(await state()).toBe(MonitorState.UP));
  sees.a = () => 'fail';
  await nextRound();
  await nextRound();
  expect(await state()).toBe(MonitorState.UP);
  sees.b = () => 'fail';
  sees.c = () => undefined;
  await nextRound();
  await eventually(async () => expect(await state()).toBe(MonitorState.DOWN));
});

test('a round with results from too few regions is undecided and does not change the state', async () => {
  everyRegionSees('pass');
  const { id, state, jobs, changes, nextRound } = await createMonitor({ down: 0, up: 0 });
  await eventually(async () => expect(await state()).toBe(MonitorState.UP));
  sees.a = () => 'fail';
  sees.b = sees.c = () => undefined;
  await sendRound(jobs);
  expect(await fixture.openRounds(id)).toBe(1);
  // The deadline of the undecided round passes. The next rounds get results from all regions.
  everyRegionSees('pass');
  fixture.clock.advance(60_000);
  await nextRound();
  expect(await state()).toBe(MonitorState.UP);
  expect((await changes()).map((change) => change.state)).toEqual([MonitorState.UP]);
});

test('a change just before a regular round causes an additional round with the new settings', async () => {
  everyRegionSees('pass');
  const { client, id, jobs } = await createMonitor({ down: 0, up: 0 });
  await eventually(() => expect(jobs()).toHaveLength(3));
  // A regular round is opened one second before it is due. The change is made within that second.
  const now = fixture.clock.now().getTime();
  const offset = offsetOf(id, 30) * 1000;
  fixture.clock.advance(60_000 + offset - (now % 30_000) - 500);
  await eventually(() => expect(jobs()).toHaveLength(6));
  await client.updateMonitor({ id, timeoutMs: 7_000 });
  await eventually(() => expect(jobs()).toHaveLength(9));
  const versions = jobs().map(({ configVersion }) => Number(configVersion));
  const oldest = Math.min(...versions);
  expect(versions.filter((version) => version > oldest)).toHaveLength(3);
  const times = jobs().map(({ roundAt }) => (roundAt ? timestampMs(roundAt) : 0));
  expect(new Set(times).size).toBe(3);
});

test('a disabled monitor is not checked, and becomes pending when it is enabled again', async () => {
  everyRegionSees('fail');
  const { client, id, state, jobs, changes } = await createMonitor({ down: 0, up: 0 });
  await eventually(async () => expect(await state()).toBe(MonitorState.DOWN));
  await client.updateMonitor({ id, enabled: false });
  const before = jobs().length;
  fixture.clock.advance(120_000);
  const last = jobs().at(-1);
  if (last) await response(fixture.nats, last, 'a', 'pass');
  // A second monitor with the same due time gets its round. This shows that the round of the disabled monitor was
  // skipped.
  const other = await createMonitor({ down: 0, up: 0 });
  await eventually(async () => expect(await other.state()).toBe(MonitorState.DOWN));
  expect(jobs()).toHaveLength(before);
  expect(await state()).toBe(MonitorState.DOWN);

  everyRegionSees(undefined);
  await client.updateMonitor({ id, enabled: true });
  expect(await state()).toBe(MonitorState.PENDING);
  await eventually(async () =>
    expect((await changes()).map((change) => change.state)).toEqual([MonitorState.DOWN, MonitorState.PENDING]),
  );
});

test('an on-demand check returns results by region and does not change the state', async () => {
  everyRegionSees('pass');
  const { client, id, state } = await createMonitor({ down: 0, up: 0 });
  await eventually(async () => expect(await state()).toBe(MonitorState.UP));
  everyRegionSees('fail');
  const { results } = await client.checkMonitor({ id });
  expect(results.map(({ region, error }) => [region, error])).toEqual([
    ['a', 'status 502, expected 200 to 399'],
    ['b', 'status 502, expected 200 to 399'],
    ['c', 'status 502, expected 200 to 399'],
  ]);
  expect(await state()).toBe(MonitorState.UP);
});
