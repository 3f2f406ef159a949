import { outgoingEvent } from '@tocsin/outbox';
import { MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { eventually, manualClock } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { watchFreshness } from '../src/app/watch-freshness.ts';
import { claimDueFreshness } from '../src/storage/freshness-store.ts';
import { component, freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const clock = manualClock('2026-01-10T12:00:00Z');
const fixture = await statusPageFixture({ now: clock.now });
const organizationId = v7();
const us = await fixture.as(organizationId);
afterAll(() => fixture[Symbol.asyncDispose]());

const read = async (url: string) => {
  const response = await fetch(url);
  const { headers } = response;
  return {
    text: await response.text(),
    etag: headers.get('etag') ?? '',
    checkedAt: headers.get('x-tocsin-checked-at'),
  };
};
const secondsAgo = (seconds: number) => new Date(clock.now().getTime() - seconds * 1_000);
const lastRound = (seconds: number, intervalSeconds = 60) => ({
  at: secondsAgo(seconds),
  expectedSince: secondsAgo(86_400),
  intervalSeconds,
});

/** Creates a page with a component that is linked to a monitor that is up, and waits until the page shows it. */
async function pageWithMonitor() {
  const slug = freshSlug();
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme', slug, enabled: true }, us);
  const monitorId = fixture.addMonitor(organizationId);
  const entries = [component({ name: 'API', monitors: [{ monitorId }] })];
  await fixture.rpc.replaceStructure({ id: statusPage?.id ?? '', entries }, us);
  const monitorIs = (enabled: boolean) => {
    const monitor = { id: monitorId, organizationId, enabled, state: MonitorState.UP };
    return fixture.publish(
      outgoingEvent(MonitorUpdatedSchema, { monitor }, { organizationId, aggregateId: monitorId }),
    );
  };
  await monitorIs(true);
  const url = `${fixture.url}/s/${slug}`;
  await eventually(async () => {
    const rows = await fixture.tables.transaction({ organizationId }, (tx) =>
      tx.query('select from monitor_condition where monitor_id = $1', [monitorId]),
    );
    expect(rows).toHaveLength(1);
  });
  // Advance the clock, because a component has no uptime percentage until some time has been counted.
  clock.advance(3_600_000);
  const unlink = () =>
    fixture.rpc.replaceStructure({ id: statusPage?.id ?? '', entries: [component({ name: 'API' })] }, us);
  const link = () => fixture.rpc.replaceStructure({ id: statusPage?.id ?? '', entries }, us);
  return { url, monitorId, monitorIs, unlink, link };
}

test('a page shows when its monitors were last checked, and its version changes only with its content', async () => {
  const { url, monitorId, monitorIs } = await pageWithMonitor();
  fixture.setLastRounds({ [monitorId]: lastRound(12) });
  const first = await read(url);
  expect(first.text).toContain(
    'Checked <time data-checked datetime="2026-01-10T12:59:48.000Z">10 Jan 2026, 12:59 UTC</time>',
  );
  expect(first.checkedAt).toBe('2026-01-10T12:59:48.000Z');
  expect(first.text).toContain('All systems operational');

  // The last rounds are read at most every 15 seconds.
  clock.advance(14_999);
  fixture.setLastRounds({ [monitorId]: lastRound(2) });
  expect((await read(url)).etag).toBe(first.etag);
  clock.advance(1);
  const second = await read(url);
  expect(second.etag).not.toBe(first.etag);
  expect(second.etag.split('.')[0]).toBe(first.etag.split('.')[0]);
  expect(second.text.replace(/<time data-checked.*?<\/time>/, '')).toBe(
    first.text.replace(/<time data-checked.*?<\/time>/, ''),
  );
  expect((await fetch(url, { headers: { 'if-none-match': second.etag } })).status).toBe(304);
  expect((await fetch(url, { headers: { 'if-none-match': first.etag } })).status).toBe(200);

  await monitorIs(false);
  await eventually(async () => expect((await read(url)).text).toContain('Not monitored'));
  const disabled = await read(url);
  expect(disabled.checkedAt).toBeNull();
  expect(disabled.text).not.toContain('<time data-checked');
});

test('a page whose monitors are overdue shows "Nothing has been checked since" with a time, and its components have the status no_data', async () => {
  const { url, monitorId } = await pageWithMonitor();
  fixture.setLastRounds({ [monitorId]: lastRound(0) });
  expect((await read(url)).text).toContain('All systems operational');
  clock.advance(5 * 60_000);
  const silent = await read(url);
  expect(silent.text).toMatch(/Nothing has been checked since <time datetime="[^"]+" data-absolute>/);
  expect(silent.text).not.toContain('class="status is-operational"');
  expect(silent.text).toContain('No data');
  const summary = await (await fetch(`${url}/api/v2/summary.json`)).json();
  expect(summary).toMatchObject({ components: [{ status: 'unknown' }], status: { indicator: 'unknown' } });

  fixture.setLastRounds({ [monitorId]: lastRound(0) });
  clock.advance(15_000);
  expect((await read(url)).text).toContain('All systems operational');
});

test('while the monitor service is unreachable, a page uses the last known checks, and shows "Not known since" after two minutes', async () => {
  const { url, monitorId } = await pageWithMonitor();
  fixture.setLastRounds({ [monitorId]: lastRound(0, 3_600) });
  expect((await read(url)).text).toContain('<time data-checked');
  fixture.setLastRounds(undefined);
  clock.advance(15_000);
  expect((await read(url)).text).toContain('<time data-checked');
  clock.advance(119_999);
  expect((await read(url)).text).toContain('<time data-checked');
  clock.advance(1);
  const unknown = (await read(url)).text;
  expect(unknown).toContain(`Not known since <time datetime="${secondsAgo(120).toISOString()}" data-absolute>`);
  // The monitor has an interval of an hour, so it is not overdue yet.
  expect(unknown).toContain('All systems operational');

  const other = await pageWithMonitor();
  expect((await read(other.url)).text).not.toContain('All systems operational');
  fixture.setLastRounds({ [monitorId]: lastRound(0, 3_600), [other.monitorId]: lastRound(0) });
  clock.advance(15_000);
  expect((await read(url)).text).toContain('<time data-checked');
  expect((await read(other.url)).text).toContain('All systems operational');
});

test('if no round is known and the monitor service is unreachable, a page is operational until the stored time at which its monitor becomes overdue', async () => {
  const { url, monitorId } = await pageWithMonitor();
  fixture.setLastRounds({ [monitorId]: lastRound(0) });
  await watchFreshness({ database: fixture.tables, monitors: fixture.monitors, now: clock.now });
  fixture.setLastRounds(undefined);
  clock.advance(5 * 60_000 - 1);
  // This is the first view of the page, so no round is known.
  expect((await read(url)).text).toContain('All systems operational');
  clock.advance(15_000);
  expect((await read(url)).text).not.toContain('All systems operational');
});

/** Runs the freshness checks that are due, and waits for the statuses in the history of a page's component. */
async function expectHistory(monitorId: string, expected: [string, Date][]): Promise<void> {
  await watchFreshness({ database: fixture.tables, monitors: fixture.monitors, now: clock.now });
  // The service also runs freshness checks, and may have claimed the check of this monitor.
  await eventually(async () => {
    const rows = await fixture.tables.transaction({ organizationId }, (tx) =>
      tx.query<{ status: string; started_at: Date; ended_at: Date | null }>(
        `select i.status, i.started_at, i.ended_at from component_interval i
         join component_monitor l on l.component_id = i.component_id where l.monitor_id = $1 order by i.started_at`,
        [monitorId],
      ),
    );
    expect(rows.slice(1).map((row) => [row.status, row.started_at])).toEqual(expected);
    for (const [index, { ended_at }] of rows.entries()) expect(ended_at).toEqual(rows[index + 1]?.started_at ?? null);
  });
}

test('the history of a component has the status no_data for the period in which its monitor was overdue', async () => {
  const { monitorId } = await pageWithMonitor();
  fixture.setLastRounds({ [monitorId]: lastRound(0) });
  await expectHistory(monitorId, []);
  const overdueAt = new Date(clock.now().getTime() + 5 * 60_000);
  clock.advance(5 * 60_000 + 20_000);
  await expectHistory(monitorId, [['no_data', overdueAt]]);
  clock.advance(3_600_000);
  await expectHistory(monitorId, [['no_data', overdueAt]]);
  fixture.setLastRounds({ [monitorId]: lastRound(10) });
  const freshAt = secondsAgo(10);
  clock.advance(15_000);
  await expectHistory(monitorId, [
    ['no_data', overdueAt],
    ['operational', freshAt],
  ]);
});

test('while the monitor service is unreachable, the history shows the status no_data once the last round is too old', async () => {
  const { monitorId } = await pageWithMonitor();
  fixture.setLastRounds({ [monitorId]: lastRound(60) });
  await expectHistory(monitorId, []);
  const overdueAt = new Date(clock.now().getTime() + 4 * 60_000);
  fixture.setLastRounds(undefined);
  clock.advance(4 * 60_000 - 1);
  await expectHistory(monitorId, []);
  clock.advance(15_001);
  await expectHistory(monitorId, [['no_data', overdueAt]]);
});

test('the history has the status no_data for the period in which the monitor service was stopped, even if the stop is noticed only after the restart', async () => {
  const { monitorId } = await pageWithMonitor();
  fixture.setLastRounds({ [monitorId]: lastRound(0) });
  await expectHistory(monitorId, []);
  const overdueAt = new Date(clock.now().getTime() + 5 * 60_000);
  clock.advance(48 * 3_600_000);
  fixture.setLastRounds({ [monitorId]: { ...lastRound(5), runningSince: secondsAgo(60) } });
  await expectHistory(monitorId, [
    ['no_data', overdueAt],
    ['operational', secondsAgo(60)],
  ]);
});

test('when a monitor is enabled again, the time for which it was disabled does not become time without data', async () => {
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme', slug: freshSlug(), enabled: true }, us);
  const [paused, other] = [fixture.addMonitor(organizationId), fixture.addMonitor(organizationId)];
  const entries = [component({ name: 'API', monitors: [{ monitorId: paused }, { monitorId: other }] })];
  await fixture.rpc.replaceStructure({ id: statusPage?.id ?? '', entries }, us);
  const monitorIs = async (monitorId: string, enabled: boolean) => {
    const monitor = { id: monitorId, organizationId, enabled, state: MonitorState.UP };
    const about = { organizationId, aggregateId: monitorId };
    await fixture.publish(outgoingEvent(MonitorUpdatedSchema, { monitor }, about));
    await eventually(async () => {
      const rows = await fixture.tables.transaction({ organizationId }, (tx) =>
        tx.query('select from monitor_condition where monitor_id = $1 and enabled = $2', [monitorId, enabled]),
      );
      expect(rows).toHaveLength(1);
    });
  };
  for (const monitorId of [paused, other]) await monitorIs(monitorId, true);
  fixture.setLastRounds({ [paused]: lastRound(0), [other]: lastRound(0) });
  await expectHistory(other, []);
  await monitorIs(paused, false);
  clock.advance(48 * 3_600_000);
  // The monitor service was down for some minutes a day ago, when only the other monitor was enabled.
  const since = secondsAgo(24 * 3_600);
  fixture.setLastRounds({ [paused]: { ...lastRound(5), runningSince: since }, [other]: lastRound(5) });
  await monitorIs(paused, true);
  clock.advance(20_000);
  await expectHistory(other, []);
});

// This test is the last one, because it postpones the freshness checks of all monitors.
test('a claimed freshness check is due again at the given time, and a monitor that no component is linked to is skipped', async () => {
  const { monitorId } = await pageWithMonitor();
  const { monitorId: unlinkedId, unlink } = await pageWithMonitor();
  await unlink();
  const year = clock.now().getTime() + 365 * 24 * 3_600_000;
  const at = (seconds: number) => new Date(year + seconds * 1_000);
  const claim = async (seconds: number, limit: number) => {
    const options = { now: at(seconds), next: at(seconds + 60), nextUnlinked: at(seconds + 300), limit };
    const { due, isFull } = await fixture.tables.transaction('every organization', (tx) =>
      claimDueFreshness(tx, options),
    );
    return { due: due.map((one) => one.monitorId).filter((id) => [monitorId, unlinkedId].includes(id)), isFull };
  };
  expect(await claim(0, 1_000)).toEqual({ due: [monitorId], isFull: false });
  expect(await claim(59, 1_000)).toEqual({ due: [], isFull: false });
  expect(await claim(60, 1_000)).toEqual({ due: [monitorId], isFull: false });
  const claimed = [await claim(900, 1), await claim(900, 1)];
  expect(claimed.map(({ isFull }) => isFull)).toEqual([true, true]);
});

test('the freshness of a monitor is checked as soon as a component is linked to it', async () => {
  const { monitorId, unlink, link } = await pageWithMonitor();
  await unlink();
  await watchFreshness({ database: fixture.tables, monitors: fixture.monitors, now: clock.now });
  await link();
  const claimed = await fixture.tables.transaction('every organization', (tx) =>
    claimDueFreshness(tx, { now: clock.now(), next: clock.now(), nextUnlinked: clock.now(), limit: 1_000 }),
  );
  expect(claimed.due.map((one) => one.monitorId)).toContain(monitorId);
});
