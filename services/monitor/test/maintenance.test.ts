import { MonitorAlertDueSchema } from '@tocsin/proto/monitor/v1/events';
import { CheckType, MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { getUptime } from '../src/app/history/get-statistics.ts';
import { applyMaintenance } from '../src/app/maintenance/apply-maintenance.ts';
import type { Monitor } from '../src/domain/monitors/monitor.ts';
import { disruptionEvents } from './start-disruptions.ts';
import { historyFixture, resultOf } from './start-history.ts';
import {
  CONFIG,
  monitorFixture,
  publishedChanges,
  publishedEvents,
  type Region,
  startChecker,
} from './start-monitor.ts';

const MINUTE = 60_000;
const fixture = await monitorFixture();
afterAll(() => fixture[Symbol.asyncDispose]());
const first = await fixture.start();
await fixture.start(); // a second replica shares the work of every test in this file
const disruptions = await disruptionEvents(fixture.natsUrl, fixture.clock.now);
afterAll(() => disruptions[Symbol.asyncDispose]());
const sees = new Map<string, ReturnType<Region>>();
await startChecker(fixture.nats, 'local', ({ monitorId }) => (sees.has(monitorId) ? sees.get(monitorId) : 'pass'));

/** Creates a monitor without confirmation times, linked to a component with the same id. */
async function createMonitor() {
  const organizationId = v7();
  const client = await first.clientOf(organizationId);
  const { monitor } = await client.createMonitor({
    name: 'Shop',
    checkType: CheckType.HTTP,
    configJson: CONFIG,
    intervalSeconds: 30,
    confirmDownMinutes: 0,
    confirmUpMinutes: 0,
  });
  const id = monitor?.id ?? '';
  const becomes = (expected: MonitorState) =>
    eventually(async () => expect((await client.getMonitorState({ id })).state).toBe(expected));
  /** Runs the monitor's next round with the given outcome. */
  const next = async (outcome: 'pass' | 'fail') => {
    sees.set(id, outcome);
    fixture.clock.advance(MINUTE / 2);
    await becomes(outcome === 'pass' ? MonitorState.UP : MonitorState.DOWN);
  };
  await becomes(MonitorState.UP);
  return {
    client,
    id,
    organizationId,
    becomes,
    next,
    covered: (times: number) => eventually(async () => expect(await maintained(id)).toBe(times)),
    alerts: async () =>
      (await publishedEvents(fixture.nats, MonitorAlertDueSchema)).filter(({ monitor }) => monitor?.id === id),
    /** Returns each state change, and whether its alert is suppressed. */
    changes: async () =>
      (await publishedChanges(fixture.nats))
        .filter(({ monitor }) => monitor?.id === id)
        .map(({ state, underMaintenance }) => [state, underMaintenance]),
  };
}

/** Returns the number of maintenances in progress that cover a monitor. */
async function maintained(monitorId: string): Promise<number> {
  const sql = 'select from maintenance where monitor_id = $1 and to_at is null';
  return (await fixture.tables.transaction('every organization', (tx) => tx.query(sql, [monitorId]))).length;
}

const { UP, DOWN } = MonitorState;

test('a monitor that goes down and recovers during maintenance raises no alert', async () => {
  const { id, organizationId, next, covered, alerts, changes } = await createMonitor();
  const work = disruptions.maintenance(organizationId, [id]);
  await work.announce();
  await work.begin();
  await covered(1);
  await next('fail');
  await next('pass');
  await work.complete();
  await covered(0);
  await next('fail');
  await eventually(async () =>
    expect(await changes()).toEqual([
      [UP, false],
      [DOWN, true],
      [UP, true],
      [DOWN, false],
    ]),
  );
  expect(await alerts()).toEqual([]);
});

test('a monitor is listed as under maintenance only during the maintenance and only for its own organization', async () => {
  const { id, client, organizationId, covered } = await createMonitor();
  const listed = async () => (await client.listUnderMaintenance({ ids: [id, v7(), 'none'] })).ids;
  const work = disruptions.maintenance(organizationId, [id]);
  await work.announce();
  expect(await listed()).toEqual([]);
  await work.begin();
  await covered(1);
  expect(await listed()).toEqual([id]);
  const stranger = await first.clientOf(v7());
  expect((await stranger.listUnderMaintenance({ ids: [id] })).ids).toEqual([]);
  await work.complete();
  await covered(0);
  expect(await listed()).toEqual([]);
});

test('a monitor that is still down when the last of two maintenances ends raises one alert, and one when it recovers', async () => {
  const { id, organizationId, next, covered, alerts, changes } = await createMonitor();
  const [one, two] = [disruptions.maintenance(organizationId, [id]), disruptions.maintenance(organizationId, [id])];
  await one.begin();
  await two.begin();
  await covered(2);
  await next('fail');
  await one.complete();
  await covered(1);
  expect(await alerts()).toEqual([]);
  await two.remove();
  await eventually(async () => expect(await alerts()).toHaveLength(1));
  expect((await alerts())[0]).toMatchObject({ state: DOWN, error: 'status 502, expected 200 to 399' });
  await next('pass');
  await eventually(async () =>
    expect(await changes()).toEqual([
      [UP, false],
      [DOWN, true],
      [UP, false],
    ]),
  );
  expect(await alerts()).toHaveLength(1);
});

test('a maintenance in progress covers newly linked monitors, and no longer covers unlinked ones', async () => {
  const { id, organizationId, next, covered, alerts, changes } = await createMonitor();
  const component = v7();
  const link = async (...monitors: string[]) => {
    fixture.links.set(component, monitors);
    await disruptions.pageChanged(organizationId);
  };
  fixture.links.set(component, []);
  const work = disruptions.maintenance(organizationId, [component]);
  await work.begin();
  await next('fail');
  await next('pass');
  await link(id);
  await covered(1);
  await next('fail');
  await link();
  await covered(0);
  await eventually(async () => expect(await alerts()).toHaveLength(1));
  expect(await changes()).toEqual([
    [UP, false],
    [DOWN, false],
    [UP, false],
    [DOWN, true],
  ]);

  expect(await atWork(organizationId)).toBe(1);
  await work.complete();
  await eventually(async () => expect(await atWork(organizationId)).toBe(0));
});

/** Returns the number of maintenances in progress that an organization can see. */
async function atWork(organizationId: string): Promise<number> {
  const sql = 'select from maintenance_at_work';
  expect(await fixture.tables.transaction({ organizationId: v7() }, (tx) => tx.query(sql))).toEqual([]);
  return (await fixture.tables.transaction({ organizationId }, (tx) => tx.query(sql))).length;
}

test('a monitor that went down before a maintenance and recovers during it raises an alert', async () => {
  const { id, organizationId, next, covered, changes } = await createMonitor();
  await next('fail');
  await disruptions.maintenance(organizationId, [id]).begin();
  await covered(1);
  await next('pass');
  await eventually(async () => expect((await changes()).at(-1)).toEqual([UP, false]));
});

test('a monitor that is disabled during maintenance raises no alert afterwards, and monitors of other organizations are not covered', async () => {
  const { id, client, organizationId, next, covered, alerts } = await createMonitor();
  const other = await createMonitor();
  const work = disruptions.maintenance(organizationId, [id, other.id]);
  await work.begin();
  await covered(1);
  await other.covered(0);
  await next('fail');
  await client.updateMonitor({ id, enabled: false });
  await work.complete();
  await covered(0);
  expect(await alerts()).toEqual([]);
});

test('checks under maintenance do not affect the uptime, even if the maintenance event arrives late', async () => {
  await using history = await historyFixture('2026-03-01T12:00:00Z');
  const { clock, database, deps } = history;
  const start = clock.now();
  const later = (minutes: number) => new Date(start.getTime() + minutes * MINUTE);
  const monitor = await history.monitor();
  const other = await history.monitor({ organizationId: monitor.organizationId });
  for (let minute = 0; minute < 240; minute += 10) {
    const outcome = minute >= 60 && minute < 150 ? 'fail' : 'pass';
    clock.advance(10 * MINUTE);
    await history.record(
      resultOf(monitor, { roundAt: later(minute), outcome }),
      resultOf(other, { roundAt: later(minute), outcome }),
    );
  }
  const total = async ({ id: monitorId, organizationId }: Monitor) => {
    const { percent, distribution } = await getUptime(deps, organizationId, { monitorId, rangeHours: 6 });
    return [distribution.pass, distribution.fail, percent];
  };
  const disruptionId = v7();
  const { organizationId } = monitor;
  const receive = (componentIds: string[], minute: number) =>
    database.transaction({ organizationId }, (tx) =>
      applyMaintenance(deps, tx, { organizationId, disruptionId, componentIds, at: later(minute) }),
    );

  // At this point, no result has been rolled up.
  await receive([monitor.id], 60);
  await receive([], 150);
  expect(await total(monitor)).toEqual([15, 0, 100]);
  await history.rollUp();
  expect(await total(monitor)).toEqual([15, 0, 100]);
  expect(await total(other)).toEqual([15, 9, 62.5]);

  // From here on, all results have been rolled up.
  await receive([other.id], 60);
  await receive([], 120);
  await history.rollUp();
  expect(await total(other)).toEqual([15, 3, 83.33]);
  expect(await total(monitor)).toEqual([15, 0, 100]);
});
