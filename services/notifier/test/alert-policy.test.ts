import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { outgoingEvent } from '@tocsin/outbox';
import { MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import type { OutageDisruption } from '../src/domain/outage.ts';
import { channelFixture } from './channel-fixture.ts';
import { aMonitor } from './start-notifier.ts';

const DOWN_AT = '2026-01-01T10:00:00Z';
const UP_AT = '2026-01-01T10:05:00Z';
const MINUTE_MS = 60_000;
/** Time limit for due messages. The loops that send them run every second. */
const SOON = { timeoutMs: 30_000 };

let offset = 0;
const now = () => new Date(Date.now() + offset);
const handled = new Map<string, OutageDisruption>();
const disruptions = {
  find: async (_: string, id: string) => handled.get(id),
  acknowledge: async () => 'acknowledged' as const,
};
const maintained = new Set<string>();
const maintenance = { covers: async (_: string, monitorId: string) => maintained.has(monitorId) };
const fixture = await channelFixture({ calmChanges: 4 }, { now, disruptions, maintenance });
const { receiver, newChannel } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const pass = (minutes: number) => {
  offset += minutes * MINUTE_MS;
};
const bodiesOn = (path: string) => receiver.on(path).map(({ body }) => JSON.parse(body));
const eventsOn = (path: string): string[] => bodiesOn(path).map(({ event }) => event);
/**
 * Waits until these events arrived on a path and all attempts are recorded. If the clock were advanced earlier, an
 * unrecorded attempt would be repeated.
 */
const arrived = (path: string, events: string[]) =>
  eventually(async () => {
    expect(eventsOn(path)).toEqual(events);
    const sql = `select from delivery where status = 'pending' and leased_until is not null`;
    expect(await fixture.query(sql)).toEqual([]);
  }, SOON);

/** Waits until every loop has run once more. A message that has not arrived by then is not due. */
async function loopsRan(): Promise<void> {
  const acme = v7();
  const channel = await newChannel(acme);
  const policy = { reminderMinutes: 5 };
  await fixture.rpc.updateChannel({ id: channel.id, ...policy }, await fixture.as(acme));
  const probe = aMonitor(acme, [channel.id]);
  await fixture.publishAt(now(), probe.wentDown(DOWN_AT, 'status 502', v7()));
  await arrived(channel.path, ['monitor_down']);
  await fixture.query(`update outage_timer set due_at = $1 where monitor_id = $2`, [now(), probe.id]);
  await eventually(() => expect(eventsOn(channel.path)).toContain('monitor_still_down'), SOON);
  await fixture.publishAt(now(), probe.recovered(UP_AT, DOWN_AT));
  await eventually(() => expect(eventsOn(channel.path)).toContain('monitor_recovered'), SOON);
}

test('a continuing outage causes reminders until it is acknowledged', { timeout: 120_000 }, async () => {
  const acme = v7();
  const [loud, quiet] = [await newChannel(acme), await newChannel(acme)];
  await fixture.rpc.updateChannel({ id: loud.id, reminderMinutes: 10 }, await fixture.as(acme));
  const monitor = aMonitor(acme, [loud.id, quiet.id]);
  const outage = v7();
  await fixture.publishAt(now(), monitor.wentDown(DOWN_AT, 'status 502', outage));
  await arrived(loud.path, ['monitor_down']);
  pass(9.5);
  await loopsRan();
  expect(eventsOn(loud.path)).toEqual(['monitor_down']);
  pass(1);
  await arrived(loud.path, ['monitor_down', 'monitor_still_down']);
  expect(bodiesOn(loud.path).at(-1)).toMatchObject({ status: 'down', timestamp: DOWN_AT, disruption_id: outage });
  pass(10);
  await arrived(loud.path, ['monitor_down', 'monitor_still_down', 'monitor_still_down']);
  handled.set(outage, { acknowledgement: { at: now(), by: 'Ann' }, resolvedAt: undefined });
  pass(60);
  await loopsRan();
  expect(eventsOn(loud.path)).toHaveLength(3);
  expect(eventsOn(quiet.path)).toEqual(['monitor_down']);
});

test('reminders and escalation wait until maintenance ends', { timeout: 120_000 }, async () => {
  const acme = v7();
  const [loud, phone] = [await newChannel(acme), await newChannel(acme)];
  await fixture.rpc.updateChannel({ id: loud.id, reminderMinutes: 10 }, await fixture.as(acme));
  const links = [{ channelId: phone.id, afterMinutes: 10 }];
  const monitor = aMonitor(acme, [loud.id, phone.id], 'Shop', links);
  await fixture.publishAt(now(), monitor.wentDown(DOWN_AT, 'status 502', v7()));
  await arrived(loud.path, ['monitor_down']);
  maintained.add(monitor.id);
  pass(30);
  await loopsRan();
  expect([eventsOn(loud.path), eventsOn(phone.path)]).toEqual([['monitor_down'], []]);
  maintained.delete(monitor.id);
  pass(1);
  await arrived(loud.path, ['monitor_down', 'monitor_still_down']);
  await arrived(phone.path, ['monitor_down']);
});

test('a reminder that did not arrive before the end of the outage is dropped', { timeout: 120_000 }, async () => {
  const acme = v7();
  const { id, path } = await newChannel(acme);
  await fixture.rpc.updateChannel({ id, reminderMinutes: 5 }, await fixture.as(acme));
  const monitor = aMonitor(acme, [id]);
  await fixture.publishAt(now(), monitor.wentDown(DOWN_AT, 'status 502', v7()));
  await arrived(path, ['monitor_down']);
  receiver.answer(path, () => ({ status: 503 }));
  pass(6);
  await eventually(() => expect(eventsOn(path)).toContain('monitor_still_down'), SOON);
  await fixture.publishAt(now(), monitor.recovered(UP_AT, DOWN_AT));
  const kinds = async () => (await fixture.deliveriesOf(id)).map(({ kind, status }) => [kind, status]);
  await eventually(async () => expect(await kinds()).toContainEqual(['monitor_still_down', 'dropped']), SOON);
  receiver.answer(path, () => ({ status: 200 }));
  const ended = [
    ['monitor_down', 'sent'],
    ['monitor_still_down', 'dropped'],
    ['monitor_recovered', 'sent'],
  ];
  // Wait for the recovery before the clock advances, because the notifier of this test gives up a delivery after a few
  // minutes.
  await eventually(async () => expect(await kinds()).toEqual(ended), SOON);
  pass(10);
  await loopsRan();
  expect(await kinds()).toEqual(ended);
});

test('reminders end when the outage ends, the channel is disabled or the link is removed', {
  timeout: 120_000,
}, async () => {
  const acme = v7();
  const as = await fixture.as(acme);
  const channels = [await newChannel(acme), await newChannel(acme), await newChannel(acme)] as const;
  for (const { id } of channels) await fixture.rpc.updateChannel({ id, reminderMinutes: 5 }, as);
  const [recovered, disabled, unlinked] = channels;
  const [first, second, third] = channels.map(({ id }) => aMonitor(acme, [id]));
  if (!first || !second || !third) throw new Error('three monitors were made');
  await fixture.publishAt(now(), ...[first, second, third].map((monitor) => monitor.wentDown(DOWN_AT)));
  for (const { path } of channels) await arrived(path, ['monitor_down']);
  await fixture.publishAt(now(), first.recovered(UP_AT, DOWN_AT));
  await arrived(recovered.path, ['monitor_down', 'monitor_recovered']);
  await fixture.rpc.updateChannel({ id: disabled.id, enabled: false }, as);
  const time = timestampFromDate(now());
  const monitor = { id: third.id, organizationId: acme, name: 'Shop', configJson: '{}', enabled: true };
  await fixture.publish(
    outgoingEvent(
      MonitorUpdatedSchema,
      { monitor: { ...monitor, createdAt: time, updatedAt: time } },
      { organizationId: acme, aggregateId: third.id },
    ),
  );
  await eventually(async () =>
    expect(await fixture.query('select from outage_timer where monitor_id = $1', [third.id])).toEqual([]),
  );
  pass(20);
  await loopsRan();
  await fixture.rpc.updateChannel({ id: disabled.id, enabled: true }, as);
  pass(20);
  await loopsRan();
  expect(eventsOn(disabled.path)).toEqual(['monitor_down']);
  expect(eventsOn(unlinked.path)).toEqual(['monitor_down']);
  expect(eventsOn(recovered.path)).toEqual(['monitor_down', 'monitor_recovered']);
});

test('a channel with a delay gets an alert and the recovery only if the outage is open and not acknowledged after the delay', {
  timeout: 120_000,
}, async () => {
  const acme = v7();
  const [first, second] = [await newChannel(acme), await newChannel(acme)];
  const links = [{ channelId: second.id, afterMinutes: 10 }];
  const [short, long, acknowledged] = ['Short', 'Long', 'Acknowledged'].map((name) =>
    aMonitor(acme, [first.id, second.id], name, links),
  );
  if (!short || !long || !acknowledged) throw new Error('three monitors were made');
  const outage = v7();
  await fixture.publishAt(now(), short.wentDown(DOWN_AT), long.wentDown(DOWN_AT));
  await fixture.publishAt(now(), acknowledged.wentDown(DOWN_AT, 'status 502', outage));
  await eventually(() => expect(eventsOn(first.path)).toHaveLength(3));
  handled.set(outage, { acknowledgement: { at: now(), by: 'Ann' }, resolvedAt: undefined });
  await fixture.publishAt(now(), short.recovered(UP_AT, DOWN_AT));
  await eventually(() => expect(eventsOn(first.path)).toHaveLength(4));
  pass(9.5);
  await loopsRan();
  expect(eventsOn(second.path)).toEqual([]);
  pass(1);
  await arrived(second.path, ['monitor_down']);
  expect(bodiesOn(second.path)[0].monitor.name).toBe('Long');
  await fixture.publishAt(now(), long.recovered(UP_AT, DOWN_AT), acknowledged.recovered(UP_AT, DOWN_AT, outage));
  await eventually(() => expect(eventsOn(first.path)).toHaveLength(6));
  await arrived(second.path, ['monitor_down', 'monitor_recovered']);
  expect(bodiesOn(second.path)[1].monitor.name).toBe('Long');
});

test('a channel gets only the events that its link selects, but a pager also gets the recovery that closes its incident', {
  timeout: 120_000,
}, async () => {
  const acme = v7();
  const channel = await newChannel(acme);
  receiver.answer('/v2/enqueue', () => ({ status: 202 }));
  const pager = await fixture.createChannel(acme, { integration_key: '1'.repeat(32) }, 'pagerduty');
  const links = [
    { channelId: channel.id, afterMinutes: 0, events: ['monitor_recovered'] },
    { channelId: pager.id, afterMinutes: 5, events: ['monitor_down'] },
  ];
  const monitor = aMonitor(acme, [channel.id, pager.id], 'Shop', links);
  const actions = () =>
    bodiesOn('/v2/enqueue')
      .filter(({ routing_key }) => routing_key === '1'.repeat(32))
      .map(({ event_action }) => event_action);
  await fixture.publishAt(now(), monitor.wentDown(DOWN_AT, 'status 502', v7()));
  await loopsRan();
  expect(actions()).toEqual([]);
  pass(5);
  await eventually(() => expect(actions()).toEqual(['trigger']), SOON);
  await fixture.publishAt(now(), monitor.recovered(UP_AT, DOWN_AT));
  await eventually(() => expect(actions()).toEqual(['trigger', 'resolve']), SOON);
  await arrived(channel.path, ['monitor_recovered']);
});

/** Returns quiet hours that include now and last for an hour. */
const quietNow = () => quietBetween(-1, 60);

/** Returns quiet hours that start and end after these numbers of minutes. */
function quietBetween(start: number, end: number) {
  const clock = (minutes: number) => new Date(now().getTime() + minutes * MINUTE_MS).toISOString().slice(11, 16);
  return { from: clock(start), to: clock(end), timeZone: 'UTC' };
}

test('one message at the end of quiet hours sums up the changes during the quiet hours', {
  timeout: 120_000,
}, async () => {
  const acme = v7();
  const as = await fixture.as(acme);
  const [many, one, loud] = [await newChannel(acme), await newChannel(acme), await newChannel(acme)];
  for (const { id } of [many, one]) await fixture.rpc.updateChannel({ id, quietHours: quietNow() }, as);
  const over = aMonitor(acme, [many.id, loud.id], 'Over');
  const lasting = aMonitor(acme, [many.id, one.id, loud.id], 'Lasting');
  await fixture.publishAt(now(), over.wentDown(DOWN_AT), lasting.wentDown(DOWN_AT));
  await fixture.publishAt(now(), over.recovered(UP_AT, DOWN_AT));
  await eventually(() => expect(eventsOn(loud.path)).toHaveLength(3), SOON);
  const { pathname } = new URL(bodiesOn(loud.path).find(({ monitor }) => monitor.id === over.id)?.outage_url ?? '');
  const page = async () => (await fetch(`${fixture.url}${pathname}`)).text();
  expect(await page()).toMatch(/Waits until.*\(quiet hours\)/);
  const [row] = await fixture.deliveriesOf(one.id);
  expect(row).toMatchObject({ status: 'grouped', last_error: expect.stringContaining('quiet hours until') });
  pass(58);
  await loopsRan();
  expect([...eventsOn(many.path), ...eventsOn(one.path)]).toEqual([]);
  pass(2);
  await arrived(many.path, ['monitors_changed']);
  expect(bodiesOn(many.path)[0]).toMatchObject({
    changes: expect.arrayContaining([
      expect.objectContaining({ monitor: { id: lasting.id, name: 'Lasting' }, event: 'monitor_down', count: 1 }),
      expect.objectContaining({ monitor: { id: over.id, name: 'Over' }, event: 'monitor_recovered', count: 2 }),
    ]),
  });
  const details = await (await fetch(`${fixture.url}${new URL(bodiesOn(many.path)[0].outage_url).pathname}`)).text();
  for (const { monitor, outage_url } of bodiesOn(many.path)[0].changes) {
    expect(details).toContain(`<a href="${outage_url}">${monitor.name}</a>`);
    expect(await (await fetch(`${fixture.url}${new URL(outage_url).pathname}`)).text()).toContain(
      `${monitor.name} is `,
    );
  }
  expect(details).not.toContain('Last checks');
  // The page shows the time at which the message was sent, which is one hour after the change.
  const [sent] = await fixture.query<{ finished_at: Date }>(
    `select finished_at from delivery where channel_id = $1 and status = 'sent'`,
    [many.id],
  );
  const after = await page();
  expect(after).not.toContain('Waits until');
  expect(after).toMatch(
    new RegExp(
      `Named in a message with others</span> <span class="muted"><time datetime="${sent?.finished_at.toISOString()}"`,
    ),
  );
  // If only one alert was held back, it is sent unchanged.
  await arrived(one.path, ['monitor_down']);
  expect(bodiesOn(one.path)[0]).toMatchObject({ late: true });
  await fixture.publishAt(now(), lasting.recovered(UP_AT, DOWN_AT));
  await arrived(one.path, ['monitor_down', 'monitor_recovered']);
});

test('a channel gets no more messages per hour than its limit, and the last one says that further alerts are held back', {
  timeout: 120_000,
}, async () => {
  const acme = v7();
  const as = await fixture.as(acme);
  const limited = await newChannel(acme);
  await fixture.rpc.updateChannel({ id: limited.id, maxMessagesPerHour: 3 }, as);
  const monitors = ['A', 'B', 'C', 'D', 'E'].map((name) => aMonitor(acme, [limited.id], name));
  for (const [index, monitor] of monitors.entries()) {
    await fixture.publishAt(now(), monitor.wentDown(DOWN_AT));
    await eventually(async () => expect(await fixture.deliveriesOf(limited.id)).toHaveLength(index + 1));
  }
  await fixture.finished(limited.id, ['sent', 'sent', 'sent', 'grouped', 'grouped']);
  expect(bodiesOn(limited.path).map((body) => 'held_back_until' in body)).toEqual([false, false, true]);
  await fixture.publishAt(now(), ...monitors.slice(3, 4).map((monitor) => monitor.recovered(UP_AT, DOWN_AT)));
  await fixture.finished(limited.id, ['sent', 'sent', 'sent', 'grouped', 'grouped', 'grouped']);
  pass(59);
  await loopsRan();
  expect(bodiesOn(limited.path)).toHaveLength(3);
  pass(1);
  await eventually(() => expect(bodiesOn(limited.path)).toHaveLength(4), SOON);
  const { event, changes } = bodiesOn(limited.path)[3];
  expect(event).toBe('monitors_changed');
  expect(
    changes.map(({ monitor, count }: { monitor: { name: string }; count: number }) => [monitor.name, count]),
  ).toEqual(
    expect.arrayContaining([
      ['D', 2],
      ['E', 1],
    ]),
  );
  await fixture.finished(limited.id, ['sent', 'sent', 'sent', 'grouped', 'grouped', 'grouped', 'sent']);
});

/** Values that reset the settings of a channel. */
const NO_QUIET_HOURS = { from: '', to: '', timeZone: '' };
const NO_LIMIT = 0;

test.each([
  ['quiet hours are removed', () => ({ quietHours: NO_QUIET_HOURS }), 'quiet_hours'],
  ['quiet hours move to another time', () => ({ quietHours: quietBetween(120, 180) }), 'quiet_hours'],
  ['the limit is raised', () => ({ maxMessagesPerHour: 10 }), 'limit'],
  ['the limit is removed', () => ({ maxMessagesPerHour: NO_LIMIT }), 'limit'],
] as const)(
  'when %s, the alerts that were held back are summed up and further alerts are sent',
  {
    timeout: 120_000,
  },
  async (_, change, reason) => {
    const acme = v7();
    const as = await fixture.as(acme);
    const { id, path } = await newChannel(acme);
    const before = reason === 'limit' ? { maxMessagesPerHour: 1 } : { quietHours: quietNow() };
    await fixture.rpc.updateChannel({ id, ...before }, as);
    const sent = reason === 'limit' ? ['monitor_down'] : [];
    if (reason === 'limit') await fixture.publishAt(now(), aMonitor(acme, [id], 'First').wentDown(DOWN_AT));
    await arrived(path, sent);
    const [over, lasting] = [aMonitor(acme, [id], 'Over'), aMonitor(acme, [id], 'Lasting')];
    await fixture.publishAt(now(), over.wentDown(DOWN_AT), lasting.wentDown(DOWN_AT));
    await fixture.publishAt(now(), over.recovered(UP_AT, DOWN_AT));
    const heldBack = `select from delivery where channel_id = $1 and hold_reason = $2`;
    await eventually(async () => expect(await fixture.query(heldBack, [id, reason])).toHaveLength(3));
    await fixture.rpc.updateChannel({ id, ...change() }, as);
    await arrived(path, [...sent, 'monitors_changed']);
    expect(bodiesOn(path).at(-1).changes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ monitor: { id: lasting.id, name: 'Lasting' }, event: 'monitor_down', count: 1 }),
        expect.objectContaining({ monitor: { id: over.id, name: 'Over' }, event: 'monitor_recovered', count: 2 }),
      ]),
    );
    await fixture.publishAt(now(), lasting.recovered(UP_AT, DOWN_AT));
    await arrived(path, [...sent, 'monitors_changed', 'monitor_recovered']);
    await loopsRan();
    expect(eventsOn(path)).toEqual([...sent, 'monitors_changed', 'monitor_recovered']);
  },
);

test('a channel holds alerts back until the end of longer quiet hours, and of quiet hours that replace its limit', {
  timeout: 120_000,
}, async () => {
  const acme = v7();
  const as = await fixture.as(acme);
  const [longer, limited] = [await newChannel(acme), await newChannel(acme)];
  await fixture.rpc.updateChannel({ id: longer.id, quietHours: quietNow() }, as);
  await fixture.rpc.updateChannel({ id: limited.id, maxMessagesPerHour: 1 }, as);
  await fixture.publishAt(now(), aMonitor(acme, [limited.id], 'First').wentDown(DOWN_AT));
  await arrived(limited.path, ['monitor_down']);
  const monitor = aMonitor(acme, [longer.id, limited.id]);
  await fixture.publishAt(now(), monitor.wentDown(DOWN_AT));
  await fixture.finished(longer.id, ['grouped']);
  await fixture.finished(limited.id, ['sent', 'grouped']);
  await fixture.rpc.updateChannel({ id: longer.id, quietHours: quietBetween(-1, 120) }, as);
  await fixture.rpc.updateChannel(
    { id: limited.id, quietHours: quietBetween(-1, 120), maxMessagesPerHour: NO_LIMIT },
    as,
  );
  pass(61);
  await fixture.publishAt(now(), monitor.recovered(UP_AT, DOWN_AT));
  await loopsRan();
  expect([eventsOn(longer.path), eventsOn(limited.path)]).toEqual([[], ['monitor_down']]);
  pass(60);
  await arrived(longer.path, ['monitors_changed']);
  await arrived(limited.path, ['monitor_down', 'monitors_changed']);
});

test('a channel gets one message about a flapping monitor and one that combines the held-back changes, but a pager gets every change', {
  timeout: 120_000,
}, async () => {
  const acme = v7();
  const channel = await newChannel(acme);
  receiver.answer('/api/events', () => ({ status: 202 }));
  const pager = await fixture.createChannel(acme, { api_key: 'il1api' }, 'ilert');
  const monitor = aMonitor(acme, [channel.id, pager.id]);
  const paged = () => bodiesOn('/api/events').map(({ eventType }) => eventType);
  const start = new Date('2026-01-01T10:00:00Z').getTime();
  const at = (minute: number) => new Date(start + minute * MINUTE_MS).toISOString();
  for (const minute of [0, 2, 4]) {
    const outage = v7();
    await fixture.publishAt(now(), monitor.wentDown(at(minute), 'status 502', outage));
    await fixture.publishAt(now(), monitor.recovered(at(minute + 1), at(minute), outage));
  }
  await eventually(() => expect(paged()).toEqual(['ALERT', 'RESOLVE', 'ALERT', 'RESOLVE', 'ALERT', 'RESOLVE']), SOON);
  const four = ['monitor_down', 'monitor_recovered', 'monitor_down', 'monitor_recovered'];
  await arrived(channel.path, [...four, 'monitor_flapping']);
  pass(14);
  await fixture.publishAt(now(), monitor.wentDown(at(6), 'status 502'));
  await eventually(() => expect(paged()).toHaveLength(7), SOON);
  pass(2);
  await arrived(channel.path, [...four, 'monitor_flapping', 'monitors_changed']);
  expect(bodiesOn(channel.path).at(-1)).toMatchObject({
    monitor: { id: monitor.id, name: 'Shop' },
    changes: [{ event: 'monitor_down', timestamp: '2026-01-01T10:06:00Z', count: 3 }],
  });
  await fixture.publishAt(now(), monitor.recovered(at(20), at(6)));
  await eventually(() => expect(paged().at(-1)).toBe('RESOLVE'), SOON);
  await arrived(channel.path, [...four, 'monitor_flapping', 'monitors_changed', 'monitor_recovered']);
});
