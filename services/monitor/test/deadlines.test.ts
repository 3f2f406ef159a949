import { timestampDate } from '@bufbuild/protobuf/wkt';
import {
  DisableReason,
  MonitorAutoDisabledSchema,
  MonitorDeletedSchema,
  MonitorDisableWarningSchema,
  MonitorUpdatedSchema,
} from '@tocsin/proto/monitor/v1/events';
import { CheckType, type Monitor, MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { dropOldPartitions } from '../src/storage/history/partitions.ts';
import { disruptionEvents } from './start-disruptions.ts';
import {
  CONFIG,
  monitorFixture,
  publishedChanges,
  publishedEvents,
  type Region,
  startChecker,
} from './start-monitor.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const fixture = await monitorFixture();
afterAll(() => fixture[Symbol.asyncDispose]());
const first = await fixture.start();
await fixture.start(); // a second replica shares the work of every test in this file
const disruptions = await disruptionEvents(fixture.natsUrl, fixture.clock.now);
afterAll(() => disruptions[Symbol.asyncDispose]());

let see: Region = () => 'pass';
const checker = await startChecker(fixture.nats, 'local', (job) => see(job));
beforeEach(async () => {
  see = () => 'pass';
  // Create partitions for the current test time. The service creates them only once an hour of real time, but these
  // tests advance the clock by days.
  await fixture.tables.transaction('every organization', (tx) => dropOldPartitions(tx, fixture.clock.now()));
});

/**
 * Creates a monitor without confirmation windows. Returns its id with functions that read its state and its published
 * events.
 */
async function createMonitor(settings: object = {}) {
  const client = await first.clientOf(v7());
  const { monitor } = await client.createMonitor({
    name: 'Shop',
    checkType: CheckType.HTTP,
    configJson: CONFIG,
    intervalSeconds: 30,
    confirmDownMinutes: 0,
    confirmUpMinutes: 0,
    ...settings,
  });
  const { id = '', organizationId = '' } = monitor ?? {};
  const state = async () => (await client.getMonitorState({ id })).state;
  const mine = <Fact extends { monitor?: Monitor }>(events: Fact[]) =>
    events.filter(({ monitor }) => monitor?.id === id);
  return {
    client,
    id,
    organizationId,
    state,
    becomes: (expected: MonitorState) => eventually(async () => expect(await state()).toBe(expected)),
    isEnabled: async () => (await client.getMonitor({ id })).monitor?.enabled,
    changes: async () => mine(await publishedChanges(fixture.nats)),
    warnings: async () => mine(await publishedEvents(fixture.nats, MonitorDisableWarningSchema)),
    disabled: async () => mine(await publishedEvents(fixture.nats, MonitorAutoDisabledSchema)),
    deletions: async () => mine(await publishedEvents(fixture.nats, MonitorDeletedSchema)),
    updates: async () => mine(await publishedEvents(fixture.nats, MonitorUpdatedSchema)),
  };
}

test('the events of an enabling and of a deletion contain the state at that time', async () => {
  see = () => 'fail';
  const { client, id, becomes, updates, deletions } = await createMonitor();
  await becomes(MonitorState.DOWN);
  await client.updateMonitor({ id, enabled: false });
  await client.updateMonitor({ id, enabled: true });
  await eventually(async () =>
    expect(await updates()).toMatchObject([
      { monitor: { enabled: false, state: MonitorState.DOWN } },
      { monitor: { enabled: true, state: MonitorState.PENDING }, wasDisabled: true },
    ]),
  );
  await fixture.pass(MINUTE);
  await becomes(MonitorState.DOWN);
  await client.deleteMonitor({ id });
  await eventually(async () => expect(await deletions()).toMatchObject([{ monitor: { state: MonitorState.DOWN } }]));
});

test('a monitor becomes stale after five minutes without results, and stays stale until a conclusive result arrives', async () => {
  const { id, state, becomes, changes } = await createMonitor();
  await becomes(MonitorState.UP);
  see = () => undefined;
  await fixture.pass(4.9 * MINUTE);
  expect(await state()).toBe(MonitorState.UP);
  await fixture.pass(0.2 * MINUTE);
  await becomes(MonitorState.STALE);
  await fixture.pass(6 * MINUTE);
  await eventually(async () => expect(await fixture.openRounds(id)).toBeLessThan(3));
  see = () => 'pass';
  await fixture.pass(MINUTE);
  await becomes(MonitorState.UP);
  const words = 'no conclusive check results for 5 min, expected every 30 s';
  await eventually(async () =>
    expect(await changes()).toMatchObject([
      { state: MonitorState.UP, error: '' },
      { state: MonitorState.STALE, previousState: MonitorState.UP, error: words, explanation: words },
      { state: MonitorState.UP, previousState: MonitorState.STALE, explanation: '1 check passed' },
    ]),
  );
});

test('a monitor without results becomes stale unless it is down', async () => {
  see = () => 'fail';
  const down = await createMonitor();
  await down.becomes(MonitorState.DOWN);
  see = () => undefined;
  const silent = await createMonitor();
  await fixture.pass(5.2 * MINUTE);
  await silent.becomes(MonitorState.STALE);
  expect(await down.state()).toBe(MonitorState.DOWN);
  expect((await silent.changes())[0]).toMatchObject({ previousState: MonitorState.PENDING });
});

test('a disabled monitor does not become stale, and the five minutes begin when it is enabled again', async () => {
  const { client, id, state, becomes } = await createMonitor();
  await becomes(MonitorState.UP);
  await client.updateMonitor({ id, enabled: false });
  see = () => undefined;
  await fixture.pass(6 * MINUTE);
  expect(await state()).toBe(MonitorState.UP);
  await client.updateMonitor({ id, enabled: true });
  await fixture.pass(4 * MINUTE);
  expect(await state()).toBe(MonitorState.PENDING);
  await fixture.pass(1.1 * MINUTE);
  await becomes(MonitorState.STALE);
});

test('rounds that were missed because the service was down do not make a monitor stale', async () => {
  await using apart = await monitorFixture();
  const before = await apart.start();
  const { seen } = await startChecker(apart.nats, 'local', () => (seen.length === 1 ? 'pass' : undefined));
  const organizationId = v7();
  const client = await before.clientOf(organizationId);
  const settings = { name: 'Shop', checkType: CheckType.HTTP, configJson: CONFIG, intervalSeconds: 30 };
  const { monitor: { id = '' } = {} } = await client.createMonitor(settings);
  await eventually(async () => expect((await client.getMonitorState({ id })).state).toBe(MonitorState.UP));
  await apart.pass(MINUTE);
  await before.service[Symbol.asyncDispose]();

  apart.clock.advance(HOUR);
  const again = await (await apart.start()).clientOf(organizationId);
  const state = async () => (await again.getMonitorState({ id })).state;
  await apart.pass(3.5 * MINUTE);
  expect(await state()).toBe(MonitorState.UP);
  await apart.pass(2 * MINUTE);
  await eventually(async () => expect(await state()).toBe(MonitorState.STALE));
});

test('a monitor that stays down causes warnings after 24 and 47 hours, and is disabled after 48 hours', async () => {
  see = () => 'fail';
  const { id, state, becomes, isEnabled, warnings, disabled, updates, client } = await createMonitor({
    intervalSeconds: 3_600,
  });
  await becomes(MonitorState.DOWN);
  const downSince = (await client.getMonitorState({ id })).enteredAt;
  const end = new Date((downSince ? timestampDate(downSince) : fixture.clock.now()).getTime() + 48 * HOUR);
  fixture.clock.advance(24 * HOUR);
  await eventually(async () => expect(await warnings()).toHaveLength(1));
  fixture.clock.advance(23 * HOUR);
  await eventually(async () => expect(await warnings()).toHaveLength(2));
  expect(await isEnabled()).toBe(true);
  fixture.clock.advance(HOUR);
  await eventually(async () => expect(await isEnabled()).toBe(false));
  await eventually(async () => expect(await disabled()).toHaveLength(1));
  const reason = DisableReason.DOWN_TOO_LONG;
  expect(await disabled()).toMatchObject([{ reason, downSince, monitor: { enabled: false } }]);
  expect(await updates()).toMatchObject([{ monitor: { enabled: false }, autoDisabled: reason }]);
  const published = await warnings();
  expect(published).toMatchObject([0, 1].map(() => ({ reason, downSince, monitor: { enabled: true } })));
  expect(published.map(({ disableAt }) => disableAt && timestampDate(disableAt))).toEqual([end, end]);
  expect(await state()).toBe(MonitorState.DOWN);

  await client.updateMonitor({ id, name: 'Store' });
  await eventually(async () =>
    expect(await updates()).toMatchObject([
      { autoDisabled: reason, wasDisabled: false },
      { autoDisabled: DisableReason.UNSPECIFIED, wasDisabled: true, monitor: { enabled: false } },
    ]),
  );

  // Enabling the monitor restarts the period of 48 hours.
  fixture.clock.advance(MINUTE);
  await client.updateMonitor({ id, enabled: true });
  await becomes(MonitorState.DOWN);
  fixture.clock.advance(24 * HOUR);
  await eventually(async () => expect(await warnings()).toHaveLength(3));
  expect(await isEnabled()).toBe(true);
});

test('a recovery resets the duration of the down state', async () => {
  see = () => 'fail';
  const { becomes, warnings } = await createMonitor({ intervalSeconds: 3_600 });
  const other = await createMonitor({ intervalSeconds: 86_400 });
  await becomes(MonitorState.DOWN);
  await other.becomes(MonitorState.DOWN);
  see = ({ monitorId }) => (monitorId === other.id ? 'fail' : 'pass');
  fixture.clock.advance(HOUR);
  await becomes(MonitorState.UP);
  fixture.clock.advance(23 * HOUR);
  await eventually(async () => expect(await other.warnings()).toHaveLength(1));
  expect(await warnings()).toEqual([]);
});

test('the 8th automatic disruption in 24 hours causes a warning, the 11th disables the monitor, and manual disruptions do not count', async () => {
  const { client, id, organizationId, isEnabled, warnings, disabled } = await createMonitor();
  const open = async (count: number) => {
    for (let opened = 0; opened < count; opened += 1) {
      fixture.clock.advance(10 * MINUTE);
      await disruptions.opened(organizationId, id);
    }
  };
  await disruptions.opened(organizationId, '', false);
  await open(3);
  // The first three disruptions are more than 24 hours older than the next ones, so they do not count.
  fixture.clock.advance(24 * HOUR);
  await open(8);
  await eventually(async () => expect(await warnings()).toHaveLength(1));
  await open(2);
  const reason = DisableReason.TOO_MANY_DISRUPTIONS;
  expect(await warnings()).toMatchObject([{ reason, disruptions: 8, monitor: { enabled: true } }]);
  expect(await isEnabled()).toBe(true);
  await open(1);
  await eventually(async () => expect(await isEnabled()).toBe(false));
  await eventually(async () => expect(await disabled()).toMatchObject([{ reason, disruptions: 11 }]));

  await client.updateMonitor({ id, enabled: true });
  await open(7);
  await eventually(async () => expect(await counted(id)).toBe(7));
  expect(await isEnabled()).toBe(true);
  expect(await warnings()).toHaveLength(1);
});

async function counted(monitorId: string): Promise<number> {
  const sql = 'select from automatic_disruption where monitor_id = $1';
  return (await fixture.tables.transaction('every organization', (tx) => tx.query(sql, [monitorId]))).length;
}

test.each([1, 3, 10])('a recovery is confirmed after exactly %i minutes of passed checks', async (minutes) => {
  see = () => 'fail';
  const { id, state, becomes, changes } = await createMonitor({ confirmUpMinutes: minutes });
  await becomes(MonitorState.DOWN);
  see = () => 'pass';
  // The first passed check begins the confirmation window. Two more checks pass in each minute of the window.
  for (let round = 0; round <= 2 * minutes; round += 1) {
    expect(await state()).toBe(MonitorState.DOWN);
    const before = checker.seen.filter(({ monitorId }) => monitorId === id).length;
    fixture.clock.advance(MINUTE / 2);
    await eventually(async () => {
      expect(checker.seen.filter(({ monitorId }) => monitorId === id).length).toBe(before + 1);
      expect(await fixture.openRounds(id)).toBe(0);
    });
  }
  await becomes(MonitorState.UP);
  await eventually(async () => expect(await changes()).toHaveLength(2));
  expect((await changes())[1]?.explanation).toBe(`${2 * minutes + 1} checks passed in a row over ${minutes} min`);
});
