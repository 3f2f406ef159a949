import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { channelFixture } from './channel-fixture.ts';
import { aMonitor } from './start-notifier.ts';

const DOWN_AT = '2026-01-01T10:00:00Z';
/** A storm begins when five monitors change within 20 s. Its first message is due 20 s after its first change. */
const LONG = { timeoutMs: 90_000 };

const fixture = await channelFixture({ stormMonitors: 5, calmChanges: 4 });
const { receiver, newChannel, deliveriesOf } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const bodiesOn = (path: string) => receiver.on(path).map(({ body }) => JSON.parse(body));
const changesOf = (monitor: ReturnType<typeof aMonitor>, count: number) =>
  Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? monitor.wentDown(DOWN_AT) : monitor.recovered(DOWN_AT, DOWN_AT),
  );
const stormsOf = (organizationId: string) =>
  fixture.query('select from storm where organization_id = $1', [organizationId]);

// These tests wait for the ends of storms most of the time, so they run at the same time, each with an organization of
// its own.
test.concurrent('all channels except pagers get one message when monitors change together, and another one when the monitors change again', {
  timeout: 180_000,
}, async () => {
  const acme = v7();
  const [all, few] = [await newChannel(acme), await newChannel(acme)];
  const pager = await fixture.createChannel(acme, { integration_key: '0'.repeat(32) }, 'pagerduty');
  const monitors = Array.from({ length: 12 }, (_, index) =>
    aMonitor(acme, [all.id, pager.id, ...(index === 11 ? [few.id] : [])], `Shop ${index}`),
  );
  for (const monitor of monitors) await fixture.publish(monitor.wentDown(DOWN_AT, 'status 502', v7()));
  await eventually(async () => expect(await deliveriesOf(all.id)).toHaveLength(12));
  const statuses = async (id: string) => (await deliveriesOf(id)).map(({ status }) => status);
  // The first four alerts are sent immediately, because a storm begins with the fifth.
  expect((await statuses(all.id)).filter((status) => status === 'grouped').length).toBeGreaterThanOrEqual(8);
  expect(await statuses(pager.id)).not.toContain('grouped');

  await eventually(() => expect(bodiesOn(all.path).at(-1)).toMatchObject({ event: 'monitors_changed' }), LONG);
  const single = bodiesOn(all.path).filter(({ event }) => event === 'monitor_down');
  expect(single.length).toBeLessThanOrEqual(4);
  const { changes, monitor } = bodiesOn(all.path).at(-1);
  expect(monitor.name).toBe('12 monitors');
  expect(changes.map(({ monitor: { name } }: { monitor: { name: string } }) => name).sort()).toEqual(
    monitors.map((_, index) => `Shop ${index}`).sort(),
  );
  const alerted = changes.filter((change: { already_alerted: boolean }) => change.already_alerted);
  const nameOfMonitor = (body: { monitor: { name: string } }) => body.monitor.name;
  expect(alerted.map(nameOfMonitor).sort()).toEqual(single.map(nameOfMonitor).sort());
  expect(changes[0]).toMatchObject({ event: 'monitor_down', timestamp: DOWN_AT, error: 'status 502' });
  // A message about only one monitor is an ordinary alert.
  await eventually(() => expect(bodiesOn(few.path)).toMatchObject([{ event: 'monitor_down' }]), LONG);

  for (const one of monitors.slice(0, 2)) await fixture.publish(one.recovered('2026-01-01T10:05:00Z', DOWN_AT));
  await eventually(
    () =>
      expect(bodiesOn(all.path).at(-1)).toMatchObject({
        event: 'monitors_changed',
        changes: [{ event: 'monitor_recovered' }, { event: 'monitor_recovered' }],
      }),
    LONG,
  );
  expect(bodiesOn(all.path).filter(({ event }) => event === 'monitors_changed')).toHaveLength(2);
});

test.concurrent('a monitor that flaps during a storm is reported in a separate message', {
  timeout: 90_000,
}, async () => {
  const acme = v7();
  const { id, path } = await newChannel(acme);
  const flapper = aMonitor(acme, [id], 'Flapper');
  const others = Array.from({ length: 5 }, () => aMonitor(acme, [id]));
  for (const monitor of others) await fixture.publish(monitor.wentDown(DOWN_AT));
  // Events of different monitors are handled concurrently. Without the wait, the first alert about the flapper could be
  // sent before the storm begins.
  await eventually(async () => expect(await stormsOf(acme)).toHaveLength(1));
  for (const event of changesOf(flapper, 4)) await fixture.publish(event);
  const inStorm = () =>
    fixture.query('select from delivery where resource_id = $1 and storm_id is not null', [flapper.id]);
  await eventually(async () => expect(await inStorm()).toHaveLength(4));
  for (const event of changesOf(flapper, 2)) await fixture.publish(event);
  await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(12));
  expect(await inStorm()).toEqual([]);
  const held = `select from delivery where resource_id = $1 and hold_reason = 'flapping'`;
  expect(await fixture.query(held, [flapper.id])).toHaveLength(6);

  await eventually(() => expect(bodiesOn(path).at(-1)).toMatchObject({ event: 'monitors_changed' }), LONG);
  expect(bodiesOn(path).at(-1).changes).toHaveLength(5);
  expect(bodiesOn(path).filter(({ event }) => event === 'monitor_flapping')).toHaveLength(1);
  // The storm ends although the monitor continues to change.
  for (const event of changesOf(flapper, 2)) await fixture.publish(event);
  await eventually(async () => expect(await stormsOf(acme)).toEqual([]), LONG);
});

test.concurrent('monitors that changed together are grouped, even if the notifier receives the changes a minute later', async () => {
  const acme = v7();
  const channel = await newChannel(acme);
  const at = new Date(Date.now() - 60_000);
  for (let n = 0; n < 8; n += 1) {
    await fixture.publishAt(at, aMonitor(acme, [channel.id]).wentDown(DOWN_AT, 'status 502', v7()));
  }
  await eventually(() => expect(bodiesOn(channel.path).at(-1)).toMatchObject({ event: 'monitors_changed' }), LONG);
  expect(bodiesOn(channel.path).filter(({ event }) => event === 'monitor_down').length).toBeLessThanOrEqual(4);
}, 120_000);

test('a storm of more monitors than one message lists is reported in several messages, which list each of them', {
  timeout: 180_000,
}, async () => {
  const acme = v7();
  const { id, path } = await newChannel(acme);
  const monitors = Array.from({ length: 1_100 }, (_, index) => aMonitor(acme, [id], `Shop ${index}`));
  await fixture.publish(...monitors.map((monitor) => monitor.wentDown(DOWN_AT, 'status 502', v7())));
  const listed = () =>
    bodiesOn(path)
      .filter(({ event }) => event === 'monitors_changed')
      .map(({ changes }) => changes.map(({ monitor }: { monitor: { name: string } }) => monitor.name));
  const names = monitors.map((_, index) => `Shop ${index}`).sort();
  await eventually(() => expect([...new Set(listed().flat())].sort()).toEqual(names), { timeoutMs: 150_000 });
  for (const message of listed()) expect(message.length).toBeLessThanOrEqual(1_000);
});

test('no storm begins if four monitors change together in each of two organizations', async () => {
  const [acme, other] = [v7(), v7()];
  const [mine, theirs] = [await newChannel(acme), await newChannel(other)];
  for (const [organization, channel] of [
    [acme, mine],
    [other, theirs],
  ] as const) {
    for (let n = 0; n < 4; n += 1) {
      await fixture.publish(aMonitor(organization, [channel.id]).wentDown(DOWN_AT, 'status 502', v7()));
    }
  }
  await fixture.finished(mine.id, Array(4).fill('sent'));
  await fixture.finished(theirs.id, Array(4).fill('sent'));
  expect(await fixture.query('select from storm where organization_id = any($1)', [[acme, other]])).toEqual([]);
});

test('a flapping monitor does not count toward the monitors that start a storm', async () => {
  const acme = v7();
  const { id } = await newChannel(acme);
  for (const event of changesOf(aMonitor(acme, [id], 'Flapper'), 5)) await fixture.publish(event);
  await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(6));
  for (const monitor of Array.from({ length: 4 }, () => aMonitor(acme, [id])))
    await fixture.publish(monitor.wentDown(DOWN_AT));
  await eventually(async () => expect(await deliveriesOf(id)).toHaveLength(10));
  expect(await stormsOf(acme)).toHaveLength(0);
  await fixture.publish(aMonitor(acme, [id]).wentDown(DOWN_AT));
  await eventually(async () => expect(await stormsOf(acme)).toHaveLength(1));
});
