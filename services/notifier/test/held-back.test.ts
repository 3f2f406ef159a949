import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { DOWN_AT, MINUTE_MS, policyFixture, SOON, UP_AT } from './policy-fixture.ts';
import { aMonitor } from './start-notifier.ts';

const { fixture, now, pass, bodiesOn, eventsOn, arrived, loopsRan } = await policyFixture();
const { receiver, newChannel } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

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

test.each([
  ['are removed', () => NO_QUIET_HOURS],
  ['move to another time', () => quietBetween(120, 180)],
] as const)(
  'when quiet hours %s, reminders that were postponed to their end are sent',
  {
    timeout: 120_000,
  },
  async (_, quietHours) => {
    const acme = v7();
    const as = await fixture.as(acme);
    const { id, path } = await newChannel(acme);
    await fixture.rpc.updateChannel({ id, reminderMinutes: 10 }, as);
    const [early, late] = [aMonitor(acme, [id], 'Early'), aMonitor(acme, [id], 'Late')];
    await fixture.publishAt(now(), early.wentDown(DOWN_AT));
    await arrived(path, ['monitor_down']);
    await fixture.rpc.updateChannel({ id, quietHours: quietNow() }, as);
    pass(5);
    await fixture.publishAt(now(), late.wentDown(DOWN_AT));
    await fixture.finished(id, ['sent', 'grouped']);
    pass(6);
    const isPostponed = 'select from outage_timer where monitor_id = $1 and due_at > $2';
    const inHalfAnHour = new Date(now().getTime() + 30 * MINUTE_MS);
    await eventually(
      async () => expect(await fixture.query(isPostponed, [early.id, inHalfAnHour])).toHaveLength(1),
      SOON,
    );
    await fixture.rpc.updateChannel({ id, quietHours: quietHours() }, as);
    const got = () => bodiesOn(path).map(({ event, monitor: { name } }) => `${name} ${event}`);
    const sent = ['Early monitor_down', 'Early monitor_still_down', 'Late monitor_down'];
    await eventually(() => expect(got().sort()).toEqual(sent), SOON);
    await loopsRan();
    expect(got().sort()).toEqual(sent);
    pass(5);
    await eventually(() => expect(got()).toContain('Late monitor_still_down'), SOON);
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

/**
 * Returns a channel whose receiver refuses the alerts of a kind for as long as `isReady` is false. Also returns the
 * bodies that the receiver accepted.
 */
async function fussyChannel(organizationId: string, refused: string) {
  const { id, path } = await newChannel(organizationId);
  const refusal = { isReady: false };
  const accepted: { event: string; monitor: { name: string }; changes?: { monitor: { name: string } }[] }[] = [];
  receiver.answer(path, (nth) => {
    const body = bodiesOn(path)[nth];
    if (!refusal.isReady && body.event === refused) return { status: 503 };
    accepted.push(body);
    return { status: 204 };
  });
  return { id, path, accepted, setReady: () => (refusal.isReady = true) };
}

test('an alert that is retried after a message about several monitors does not repeat an older state', {
  timeout: 120_000,
}, async () => {
  const acme = v7();
  const as = await fixture.as(acme);
  const { id, path, accepted, setReady } = await fussyChannel(acme, 'monitor_down');
  const [over, lasting] = [aMonitor(acme, [id], 'Over'), aMonitor(acme, [id], 'Lasting')];
  await fixture.publishAt(now(), over.wentDown(DOWN_AT));
  await eventually(() => expect(eventsOn(path)).toContain('monitor_down'), SOON);
  await fixture.rpc.updateChannel({ id, quietHours: quietNow() }, as);
  await fixture.publishAt(now(), over.recovered(UP_AT, DOWN_AT), lasting.wentDown(DOWN_AT));
  await fixture.finished(id, ['pending', 'grouped', 'grouped']);
  await fixture.rpc.updateChannel({ id, quietHours: NO_QUIET_HOURS }, as);
  await eventually(() => expect(accepted).toMatchObject([{ event: 'monitors_changed' }]), SOON);
  setReady();
  const rows = await fixture.finished(id, ['grouped', 'grouped', 'grouped', 'sent']);
  expect(rows[0]?.last_error).toBe('a later message says the newer state');
  expect(accepted).toHaveLength(1);
});

test('a message about several monitors that is retried after a newer alert does not name an older state', {
  timeout: 120_000,
}, async () => {
  const acme = v7();
  const as = await fixture.as(acme);
  const { id, path, accepted, setReady } = await fussyChannel(acme, 'monitors_changed');
  await fixture.rpc.updateChannel({ id, quietHours: quietNow() }, as);
  const [over, lasting] = [aMonitor(acme, [id], 'Over'), aMonitor(acme, [id], 'Lasting')];
  await fixture.publishAt(now(), over.wentDown(DOWN_AT), lasting.wentDown(DOWN_AT));
  await fixture.finished(id, ['grouped', 'grouped']);
  await fixture.rpc.updateChannel({ id, quietHours: NO_QUIET_HOURS }, as);
  await eventually(() => expect(eventsOn(path)).toContain('monitors_changed'), SOON);
  await fixture.publishAt(now(), over.recovered(UP_AT, DOWN_AT));
  await eventually(() => expect(accepted).toMatchObject([{ event: 'monitor_recovered' }]), SOON);
  setReady();
  await fixture.finished(id, ['grouped', 'grouped', 'sent', 'sent']);
  expect(accepted.at(-1)).toMatchObject({ event: 'monitors_changed', monitor: { name: 'Lasting' } });
  expect(accepted.at(-1)?.changes?.map(({ monitor }) => monitor.name)).toEqual(['Lasting']);
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
