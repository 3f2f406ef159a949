import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { outgoingEvent } from '@tocsin/outbox';
import { MonitorUpdatedSchema } from '@tocsin/proto/monitor/v1/events';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { DOWN_AT, policyFixture, SOON, UP_AT } from './policy-fixture.ts';
import { aMonitor } from './start-notifier.ts';

const { fixture, now, pass, handled, maintained, bodiesOn, eventsOn, arrived, loopsRan } = await policyFixture();
const { receiver, newChannel } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

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

test('a fallback to which an outage is handed over gets reminders while the outage continues', {
  timeout: 120_000,
}, async () => {
  const acme = v7();
  const as = await fixture.as(acme);
  const [broken, fallback] = [await newChannel(acme), await newChannel(acme)];
  await fixture.rpc.updateChannel({ id: broken.id, fallbackChannelId: fallback.id }, as);
  await fixture.rpc.updateChannel({ id: fallback.id, reminderMinutes: 5 }, as);
  const changesWritten = Promise.withResolvers<void>();
  receiver.answer(broken.path, async () => {
    await changesWritten.promise;
    return { status: 410 };
  });
  const [lasting, over] = [aMonitor(acme, [broken.id], 'Lasting'), aMonitor(acme, [broken.id], 'Over')];
  await fixture.publishAt(now(), lasting.wentDown(DOWN_AT), over.wentDown(DOWN_AT));
  await fixture.publishAt(now(), over.recovered(UP_AT, DOWN_AT));
  await fixture.finished(broken.id, ['pending', 'pending', 'pending']);
  changesWritten.resolve();
  const got = () => bodiesOn(fallback.path).map(({ event, monitor: { name } }) => `${name} ${event}`);
  const handedOver = ['Lasting monitor_down', 'Over monitor_down', 'Over monitor_recovered'];
  await eventually(() => expect(got()).toEqual(expect.arrayContaining(handedOver)), SOON);
  await loopsRan();
  pass(6);
  await eventually(() => expect(got()).toContain('Lasting monitor_still_down'), SOON);
  await loopsRan();
  expect(got().filter((text) => text.endsWith('monitor_still_down'))).toEqual(['Lasting monitor_still_down']);
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
