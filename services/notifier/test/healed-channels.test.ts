import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { DeliveryStatus } from '@tocsin/proto/notifier/v1/delivery';
import { ChannelHealedSchema } from '@tocsin/proto/notifier/v1/events';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { channelFixture } from './channel-fixture.ts';
import { aMonitor } from './start-notifier.ts';

const DOWN_AT = '2026-01-01T10:00:00Z';
const UP_AT = '2026-01-01T10:05:00Z';

const line = { connected: true };
const connectivity = { confirmFailure: async () => line.connected, recordResponse: () => undefined };
// This retryBaseMs shortens an hour to 1.8 s. A broken channel gets its first probe after 0.45 s.
const fixture = await channelFixture({ retryBaseMs: 1 }, { connectivity, probeEveryMs: 20 });
const { receiver, newChannel, finished, deliveriesOf } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const bodiesOn = (path: string) => receiver.on(path).map(({ body }) => JSON.parse(body));

/** Breaks a channel with an alert that its receiver refuses. */
async function breakChannel(organizationId: string, channel: { id: string; path: string }) {
  const monitor = aMonitor(organizationId, [channel.id]);
  receiver.answer(channel.path, () => ({ status: 410 }));
  await fixture.publish(monitor.wentDown(DOWN_AT, 'status 502', v7()));
  await eventually(async () => expect((await fixture.getChannel(organizationId, channel.id))?.brokenAt).toBeDefined());
  return monitor;
}

test('after a successful probe with the oldest held alert, the channel is healthy and gets the other held alerts, marked as late', async () => {
  const acme = v7();
  const channel = await newChannel(acme);
  const monitor = await breakChannel(acme, channel);
  await fixture.publish(monitor.recovered(UP_AT, DOWN_AT));
  await finished(channel.id, ['held', 'held']);
  receiver.answer(channel.path, () => ({ status: 204 }));
  await finished(channel.id, ['sent', 'sent']);
  expect(bodiesOn(channel.path).slice(-2)).toMatchObject([
    { event: 'monitor_down', late: true },
    { event: 'monitor_recovered', late: true },
  ]);
  expect(bodiesOn(channel.path)[0]).toMatchObject({ late: false });
  expect(await fixture.getChannel(acme, channel.id)).toMatchObject({ enabled: true });
  await eventually(async () => {
    const types = (await fixture.publishedAbout(channel.id)).map(({ type }) => type);
    expect(types.at(-1)).toBe(ChannelHealedSchema.typeName);
  });
});

test('a failed probe is counted, and leaves the channel broken and its alerts held', async () => {
  const acme = v7();
  const channel = await newChannel(acme);
  await breakChannel(acme, channel);
  const probes = async () =>
    (await fixture.query<{ probes: number }>('select probes from channel where id = $1', [channel.id]))[0]?.probes;
  await eventually(async () => expect(await probes()).toBeGreaterThan(0));
  expect((await deliveriesOf(channel.id)).map(({ status }) => status)).toEqual(['held']);
  expect((await fixture.getChannel(acme, channel.id))?.enabled).toBe(false);
});

test.each([
  ['succeeds', 204, 1],
  ['fails', 503, 2],
])(
  'an alert with which a channel is probed while a person repairs it is sent again only if the probe fails: it %s',
  async (_, status, times) => {
    const acme = v7();
    const channel = await newChannel(acme);
    await breakChannel(acme, channel);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const isProbe = (nth: number) => nth === 1;
    receiver.answer(channel.path, async (nth) => {
      if (!isProbe(nth)) return { status: 204 };
      await released;
      return { status };
    });
    await eventually(() => expect(receiver.on(channel.path)).toHaveLength(2));
    await fixture.publish(aMonitor(acme, [channel.id], 'Till').wentDown(DOWN_AT, 'status 502', v7()));
    await finished(channel.id, ['held', 'held']);
    await fixture.rpc.updateChannel({ id: channel.id, enabled: true }, await fixture.as(acme));
    await finished(channel.id, ['pending', 'sent']);
    expect(bodiesOn(channel.path).map(({ monitor }) => monitor.name)).toEqual(['Shop', 'Shop', 'Till']);
    release();
    await finished(channel.id, ['sent', 'sent']);
    const afterwards = bodiesOn(channel.path).slice(1);
    expect(afterwards.filter(({ monitor }) => monitor.name === 'Shop')).toHaveLength(times);
  },
);

test('failures do not mark a channel as broken while the installation has no connection', async () => {
  const acme = v7();
  const path = 'http://127.0.0.1:9/';
  const channel = await fixture.createChannel(acme, { url: path });
  line.connected = false;
  try {
    for (let n = 0; n < 4; n += 1) await fixture.publish(aMonitor(acme, [channel.id]).wentDown(DOWN_AT));
    await eventually(async () => {
      const attempts = (await deliveriesOf(channel.id)).map((row) => row.attempts);
      expect(Math.min(...attempts, Number(attempts.length === 4) * 99)).toBeGreaterThan(3);
    });
    expect((await deliveriesOf(channel.id))[0]?.last_error).toMatch(/this installation had no connection itself$/);
    const sql = 'select failing_since from channel where id = $1';
    expect(await fixture.query(sql, [channel.id])).toEqual([{ failing_since: null }]);
  } finally {
    line.connected = true;
  }
  // As soon as the installation has a connection, failed retries of the same alerts count and break the channel.
  await eventually(async () => expect(await fixture.getChannel(acme, channel.id)).toMatchObject({ enabled: false }));
});

describe('the fallback of a broken channel', () => {
  async function withFallback() {
    const acme = v7();
    const [first, second] = [await newChannel(acme), await newChannel(acme)];
    const as = await fixture.as(acme);
    await fixture.rpc.updateChannel({ id: first.id, fallbackChannelId: second.id }, as);
    return { acme, first, second, as };
  }

  test('the fallback of a broken channel gets all alerts, and gets their recoveries even after the channel is healthy again', async () => {
    const { acme, first, second, as } = await withFallback();
    const outage = v7();
    const monitor = aMonitor(acme, [first.id]);
    receiver.answer(first.path, () => ({ status: 410 }));
    await fixture.publish(monitor.wentDown(DOWN_AT, 'status 502', outage));
    // The fallback also gets the alert about the broken channel.
    await eventually(() => expect(fixture.events(second.path).sort()).toEqual(['channel_broken', 'monitor_down']));
    const other = aMonitor(acme, [first.id]);
    await fixture.publish(other.wentDown(DOWN_AT, 'status 502', v7()));
    await eventually(() => expect(fixture.events(second.path)).toHaveLength(3));
    receiver.answer(first.path, () => ({ status: 204 }));
    await fixture.rpc.updateChannel({ id: first.id, enabled: true }, as);
    await fixture.publish(monitor.recovered(UP_AT, DOWN_AT, outage));
    await eventually(() => expect(fixture.events(second.path)).toContain('monitor_recovered'));
    // Later alerts are sent only to the first channel.
    await fixture.publish(aMonitor(acme, [first.id]).wentDown(DOWN_AT, 'status 502', v7()));
    await eventually(() =>
      expect(fixture.events(first.path).filter((event) => event === 'monitor_down')).toHaveLength(4),
    );
    const monitorEvents = fixture.events(second.path).filter((event) => event.startsWith('monitor_'));
    expect(monitorEvents).toEqual(['monitor_down', 'monitor_down', 'monitor_recovered']);
  });

  test.each(['while the channel is broken', 'with which the channel breaks'])(
    'a fallback that was not alerted of an outage does not get a recovery %s',
    async (when) => {
      const { acme, first, second, as } = await withFallback();
      const outage = v7();
      const monitor = aMonitor(acme, [first.id]);
      await fixture.publish(monitor.wentDown(DOWN_AT, 'status 502', outage));
      await finished(first.id, ['sent']);
      if (when === 'while the channel is broken') await breakChannel(acme, first);
      else receiver.answer(first.path, () => ({ status: 410 }));
      await fixture.publish(monitor.recovered(UP_AT, DOWN_AT, outage));
      await eventually(async () => expect((await deliveriesOf(first.id)).at(-1)).toMatchObject({ status: 'held' }));
      receiver.answer(first.path, () => ({ status: 204 }));
      await fixture.rpc.updateChannel({ id: first.id, enabled: true }, as);
      await eventually(async () => expect((await deliveriesOf(first.id)).at(-1)).toMatchObject({ status: 'sent' }));
      await eventually(() => expect(fixture.events(second.path)).toContain('channel_healed'));
      expect(fixture.events(second.path)).not.toContain('monitor_recovered');
    },
  );

  test.each([
    ['refused', 410],
    ['failed temporarily', 503],
  ])('the fallback also gets an alert whose attempt was running when the channel broke, and %s', async (_, status) => {
    const { acme, first, second } = await withFallback();
    const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let requests = 0;
    receiver.answer(first.path, async () => {
      const index = requests;
      requests += 1;
      await answers[index]?.promise;
      return { status: index === 0 ? 410 : status };
    });
    for (let index = 0; index < 2; index += 1) {
      await fixture.publish(aMonitor(acme, [first.id]).wentDown(DOWN_AT, 'status 502', v7()));
    }
    await eventually(() => expect(requests).toBe(2));
    answers[0]?.resolve();
    await eventually(async () => expect((await fixture.getChannel(acme, first.id))?.brokenAt).toBeDefined());
    answers[1]?.resolve();
    await eventually(() =>
      expect(bodiesOn(second.path).filter(({ event }) => event === 'monitor_down')).toHaveLength(2),
    );
  });

  test('the fallback gets the alerts of a monitor in their order although one was being sent when the channel broke', async () => {
    const { acme, first, second } = await withFallback();
    const brokenNow = Promise.withResolvers<void>();
    let requests = 0;
    receiver.answer(first.path, async () => {
      requests += 1;
      if (requests > 1) return { status: 410 };
      await brokenNow.promise;
      return { status: 503 };
    });
    const monitor = aMonitor(acme, [first.id]);
    const outage = v7();
    await fixture.publish(monitor.wentDown(DOWN_AT, 'the first outage', outage));
    await eventually(() => expect(requests).toBe(1));
    await fixture.publish(
      monitor.recovered(UP_AT, DOWN_AT, outage),
      monitor.wentDown('2026-01-01T11:00:00Z', 'the second outage', v7()),
    );
    await finished(first.id, ['pending', 'pending', 'pending']);
    await fixture.publish(aMonitor(acme, [first.id]).wentDown(DOWN_AT, 'another', v7()));
    await eventually(async () => expect((await fixture.getChannel(acme, first.id))?.brokenAt).toBeDefined());
    brokenNow.resolve();
    const got = () =>
      bodiesOn(second.path).flatMap(({ event, error, monitor: { id } }) => (id === monitor.id ? [[event, error]] : []));
    await eventually(() => expect(got()).toHaveLength(3));
    expect(got()).toEqual([
      ['monitor_down', 'the first outage'],
      ['monitor_recovered', null],
      ['monitor_down', 'the second outage'],
    ]);
  });

  test('a fallback that was alerted of an outage without a disruption gets the recovery, and other fallbacks do not', async () => {
    const { acme, first, second } = await withFallback();
    const [before, after] = [aMonitor(acme, [first.id], 'Shop'), aMonitor(acme, [first.id], 'Till')];
    await fixture.publish(before.wentDown(DOWN_AT));
    await finished(first.id, ['sent']);
    await breakChannel(acme, first);
    await fixture.publish(after.wentDown(DOWN_AT));
    for (const monitor of [before, after]) await fixture.publish(monitor.recovered(UP_AT, DOWN_AT));
    await eventually(() => expect(fixture.events(second.path)).toContain('monitor_recovered'));
    await eventually(async () => expect(await deliveriesOf(first.id)).toHaveLength(5));
    const rows = await deliveriesOf(second.id);
    expect(rows.filter(({ kind }) => kind === 'monitor_recovered')).toHaveLength(1);
    const recovered = bodiesOn(second.path).filter(({ event }) => event === 'monitor_recovered');
    expect(recovered.map(({ monitor }) => monitor.name)).toEqual(['Till']);
  });

  test('in a chain of broken channels, a fallback gets a recovery only if it was alerted of the outage', async () => {
    const { acme, first, second, as } = await withFallback();
    const third = await newChannel(acme);
    await fixture.rpc.updateChannel({ id: second.id, fallbackChannelId: third.id }, as);
    const [early, late] = [aMonitor(acme, [first.id], 'Early'), aMonitor(acme, [first.id], 'Late')];
    const outages = [v7(), v7()] as const;
    await breakChannel(acme, first);
    await fixture.publish(early.wentDown(DOWN_AT, 'status 502', outages[0]));
    await eventually(() => expect(bodiesOn(second.path).map(({ monitor }) => monitor?.name)).toContain('Early'));
    await breakChannel(acme, second);
    await fixture.publish(late.wentDown(DOWN_AT, 'status 502', outages[1]));
    await eventually(() => expect(bodiesOn(third.path).map(({ monitor }) => monitor?.name)).toContain('Late'));
    await fixture.publish(early.recovered(UP_AT, DOWN_AT, outages[0]));
    await fixture.publish(late.recovered(UP_AT, DOWN_AT, outages[1]));
    const recoveries = () => bodiesOn(third.path).filter(({ event }) => event === 'monitor_recovered');
    await eventually(() => expect(recoveries().map(({ monitor }) => monitor.name)).toEqual(['Late']));
    // The second channel was alerted of the first outage, so it gets this recovery and holds it.
    await eventually(async () =>
      expect((await deliveriesOf(second.id)).map(({ kind, status }) => [kind, status])).toContainEqual([
        'monitor_recovered',
        'held',
      ]),
    );
  });

  test('a fallback must be another channel of the same organization', async () => {
    const { first, as } = await withFallback();
    const foreign = await newChannel(v7());
    for (const fallbackChannelId of [first.id, foreign.id, v7(), 'none']) {
      await expect(fixture.rpc.updateChannel({ id: first.id, fallbackChannelId }, as)).rejects.toThrow(
        /fallback_channel_id/,
      );
    }
    const { channel } = await fixture.rpc.updateChannel({ id: first.id, fallbackChannelId: '' }, as);
    expect(channel?.fallbackChannelId).toBe('');
  });

  test('the fallback of a broken fallback gets the alerts, even if the fallbacks form a cycle', async () => {
    const { acme, first, second, as } = await withFallback();
    const third = await newChannel(acme);
    await fixture.rpc.updateChannel({ id: second.id, fallbackChannelId: third.id }, as);
    await fixture.rpc.updateChannel({ id: third.id, fallbackChannelId: first.id }, as);
    await breakChannel(acme, first);
    await breakChannel(acme, second);
    await fixture.publish(aMonitor(acme, [first.id], 'Till').wentDown(DOWN_AT, 'status 502', v7()));
    await eventually(() =>
      expect(bodiesOn(third.path)).toContainEqual(
        expect.objectContaining({ event: 'monitor_down', monitor: expect.objectContaining({ name: 'Till' }) }),
      ),
    );
  });
});

describe('a replay', () => {
  const since = () => timestampFromDate(new Date(Date.now() - 3_600_000));

  test('a replay resends only unsent alerts, oldest first, marked as late', async () => {
    const acme = v7();
    const channel = await newChannel(acme);
    const monitor = aMonitor(acme, [channel.id]);
    await fixture.publish(monitor.wentDown(DOWN_AT));
    await finished(channel.id, ['sent']);
    const as = await fixture.as(acme);
    receiver.answer(channel.path, () => ({ status: 410 }));
    await fixture.publish(monitor.recovered(UP_AT, DOWN_AT));
    await finished(channel.id, ['sent', 'held']);
    await expect(fixture.rpc.replayChannel({ id: channel.id, since: since() }, as)).rejects.toThrow(/broken/);
    await fixture.rpc.updateChannel({ id: channel.id, enabled: false }, as);
    await expect(fixture.rpc.replayChannel({ id: channel.id, since: since() }, as)).rejects.toThrow(/disabled/);
    receiver.answer(channel.path, () => ({ status: 204 }));
    await fixture.rpc.updateChannel({ id: channel.id, enabled: true }, as);
    await finished(channel.id, ['sent', 'dropped']);
    expect(await fixture.rpc.replayChannel({ id: channel.id, since: since() }, as)).toMatchObject({ replayed: 1 });
    await finished(channel.id, ['sent', 'sent']);
    expect(bodiesOn(channel.path).at(-1)).toMatchObject({ event: 'monitor_recovered', late: true });
    expect(await fixture.rpc.replayChannel({ id: channel.id, since: since() }, as)).toMatchObject({ replayed: 0 });
    const sent = { channelId: channel.id, status: DeliveryStatus.SENT };
    const { deliveries } = await fixture.rpc.listChannelDeliveries(sent, as);
    expect(deliveries.map(({ late }) => late)).toEqual([true, false]);
    const failed = { channelId: channel.id, status: DeliveryStatus.FAILED };
    expect((await fixture.rpc.listChannelDeliveries(failed, as)).deliveries).toEqual([]);
  });

  test.each([
    ['in the future', -60_000],
    ['31 days ago', 31 * 86_400_000],
  ])('a replay can not begin %s', async (_, ago) => {
    const acme = v7();
    const channel = await newChannel(acme);
    const request = { id: channel.id, since: timestampFromDate(new Date(Date.now() - ago)) };
    await expect(fixture.rpc.replayChannel(request, await fixture.as(acme))).rejects.toThrow(/since/);
    await expect(fixture.rpc.replayChannel(request, await fixture.as(v7()))).rejects.toThrow(/not found/);
  });
});

describe('the alert that a channel is enabled again', () => {
  test('channels that were alerted of a broken channel are alerted when it is enabled again', async () => {
    const acme = v7();
    const [broken, other] = [await newChannel(acme), await newChannel(acme)];
    await breakChannel(acme, broken);
    await eventually(() => expect(fixture.events(other.path)).toEqual(['channel_broken']));
    // This channel is created after the others were alerted, so it did not get that alert.
    const later = await newChannel(acme);
    receiver.answer(broken.path, () => ({ status: 204 }));
    await fixture.rpc.testChannel({ id: broken.id }, await fixture.as(acme));
    await eventually(() => expect(fixture.events(other.path)).toEqual(['channel_broken', 'channel_healed']));
    expect(bodiesOn(other.path)[1]).toMatchObject({
      status: 'channel_healed',
      error: null,
      monitor: { id: broken.id, name: 'Alert channel Ops', api_url: expect.stringContaining('/alert-channels/') },
    });
    expect(await deliveriesOf(later.id)).toEqual([]);
  });

  test('if a broken channel is enabled again before the alert about it was delivered, the alert is dropped', async () => {
    const acme = v7();
    const [broken, other] = [await newChannel(acme), await newChannel(acme)];
    receiver.answer(other.path, () => ({ status: 429, headers: { 'retry-after': '1' } }));
    await breakChannel(acme, broken);
    await eventually(() => expect(fixture.events(other.path)).toEqual(['channel_broken']));
    await eventually(async () => expect((await deliveriesOf(other.id))[0]?.last_error).toContain('429'));
    receiver.answer(broken.path, () => ({ status: 204 }));
    await fixture.rpc.updateChannel({ id: broken.id, enabled: true }, await fixture.as(acme));
    const [row, ...others] = await finished(other.id, ['dropped']);
    expect([row?.last_error, others]).toEqual(['the channel is not broken any more', []]);
  });

  test.each(['disables', 'deletes'])(
    'if a person %s a broken channel, the channels that were alerted of the failure get no further message',
    async (way) => {
      const acme = v7();
      const [broken, other] = [await newChannel(acme), await newChannel(acme)];
      await breakChannel(acme, broken);
      await finished(other.id, ['sent']);
      const as = await fixture.as(acme);
      if (way === 'deletes') await fixture.rpc.deleteChannel({ id: broken.id }, as);
      else await fixture.rpc.updateChannel({ id: broken.id, enabled: false }, as);
      expect(await deliveriesOf(other.id)).toHaveLength(1);
    },
  );
});

test("the organization's other channels except pagers are alerted of a broken channel", async () => {
  const acme = v7();
  const [broken, other, foreign] = [await newChannel(acme), await newChannel(acme), await newChannel(v7())];
  const pager = await fixture.createChannel(acme, { integration_key: '0'.repeat(32) }, 'pagerduty');
  await breakChannel(acme, broken);
  await eventually(() =>
    expect(bodiesOn(other.path)).toMatchObject([
      {
        event: 'channel_broken',
        error: expect.stringContaining('the receiver returned 410: '),
        monitor: { id: broken.id },
      },
    ]),
  );
  expect(await deliveriesOf(pager.id)).toEqual([]);
  expect(receiver.on(foreign.path)).toEqual([]);
});
