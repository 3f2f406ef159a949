import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { outgoingEvent } from '@tocsin/outbox';
import {
  CertificateExpiringSchema,
  CertificateRenewedSchema,
  MonitorDeletedSchema,
  MonitorUpdatedSchema,
} from '@tocsin/proto/monitor/v1/events';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { removeRetiredChannels } from '../src/storage/channel-store.ts';
import { channelFixture } from './channel-fixture.ts';
import { aMonitor } from './start-notifier.ts';

const fixture = await channelFixture();
const { receiver } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const KEY = '0123456789abcdef0123456789abcdef';

/** Types of channels that page people. `read` returns the incident of a request, and whether the request closes it. */
const pagers = {
  pagerduty: {
    path: '/v2/enqueue',
    config: { integration_key: KEY },
    read: (body: Body) => [body.dedup_key, body.event_action === 'resolve'],
  },
  ilert: {
    path: '/api/events',
    config: { api_key: 'il1api' },
    read: (body: Body) => [body.alertKey, body.eventType === 'RESOLVE'],
  },
  incident_io: {
    path: '/v2/alert_events/http/1',
    config: { alert_source_url: 'https://api.incident.io/v2/alert_events/http/1', api_token: 't' },
    read: (body: Body) => [body.deduplication_key, body.status === 'resolved'],
  },
  grafana_irm: {
    path: '/formatted_webhook/1/',
    config: { integration_url: `${receiver.url}/formatted_webhook/1/` },
    read: (body: Body) => [body.alert_uid, body.state === 'ok'],
  },
  opsgenie: { path: '/v2/alerts*', config: { api_key: 'k' }, read: readAlias },
  jira_service_management: { path: '/jsm/ops/integration/v2/alerts*', config: { api_key: 'k' }, read: readAlias },
} as const;

/**
 * Returns the alert's alias in a request to Opsgenie, and whether the request closes the alert. A closing request has
 * the alias in its path. Other requests have it in their body.
 */
function readAlias(body: Body, path: string): [unknown, boolean] {
  const closed = /\/alerts\/(.+)\/close\?/.exec(path)?.[1];
  return [closed ?? body.alias, closed !== undefined];
}

type Body = Record<string, unknown>;

/** Creates a monitor with one pager, and returns the requests that the pager got about it. */
async function watched(type: keyof typeof pagers) {
  const { path, config, read } = pagers[type];
  const acme = v7();
  receiver.answer(path, () => ({ status: 202 }));
  const channel = await fixture.createChannel(acme, config, type);
  const monitor = aMonitor(acme, [channel.id]);
  const known = receiver.on(path).length;
  const events = () =>
    receiver
      .on(path)
      .slice(known)
      .map(({ body, path: at }) => read(JSON.parse(body), at))
      .map(([key, isOver]) => ({ key: String(key), isOver: Boolean(isOver) }));
  /** Returns the keys of incidents that were opened and not closed. */
  const open = () => {
    const keys = new Set<string>();
    for (const { key, isOver } of events()) {
      if (isOver) keys.delete(key);
      else keys.add(key);
    }
    return [...keys];
  };
  const resource = (fields: object) => ({
    id: monitor.id,
    organizationId: acme,
    name: 'Shop',
    configJson: '{}',
    alertChannelIds: [channel.id],
    enabled: true,
    createdAt: timestampFromDate(new Date()),
    updatedAt: timestampFromDate(new Date()),
    ...fields,
  });
  const about = { organizationId: acme, aggregateId: monitor.id };
  return {
    acme,
    channel,
    path,
    monitor,
    events,
    open,
    updated: (fields: object) => outgoingEvent(MonitorUpdatedSchema, { monitor: resource(fields) }, about),
    deleted: () => outgoingEvent(MonitorDeletedSchema, { monitor: resource({}) }, about),
    certificateExpires: (daysRemaining: number) =>
      outgoingEvent(
        CertificateExpiringSchema,
        {
          monitor: resource({}),
          certificate: { notAfter: timestampFromDate(new Date('2026-02-01T00:00:00Z')) },
          daysRemaining,
        },
        about,
      ),
    certificateRenewed: () => outgoingEvent(CertificateRenewedSchema, { monitor: resource({}) }, about),
  };
}

type Watched = Awaited<ReturnType<typeof watched>>;

const DOWN_AT = '2026-01-01T10:00:00Z';
const LATER = '2026-01-01T11:00:00Z';

/** All events that close the incident of an outage. */
const endings: Record<string, (watched: Watched) => Promise<unknown>> = {
  'the monitor recovers': ({ monitor }) => fixture.publish(monitor.recovered('2026-01-01T10:05:00Z', DOWN_AT)),
  'the monitor is disabled': ({ updated }) => fixture.publish(updated({ enabled: false })),
  'the monitor is deleted': ({ deleted }) => fixture.publish(deleted()),
  'the channel is unlinked': ({ updated }) => fixture.publish(updated({ alertChannelIds: [] })),
  'the channel is broken when the monitor recovers, and is healthy again': async ({ acme, channel, monitor, path }) => {
    receiver.answer(path, () => ({ status: 403 }));
    await fixture.publish(monitor.recovered('2026-01-01T10:05:00Z', DOWN_AT));
    await fixture.finished(channel.id, ['sent', 'held']);
    receiver.answer(path, () => ({ status: 202 }));
    await fixture.rpc.updateChannel({ id: channel.id, enabled: true }, await fixture.as(acme));
  },
  'the channel is disabled': async ({ acme, channel }) =>
    fixture.rpc.updateChannel({ id: channel.id, enabled: false }, await fixture.as(acme)),
};

describe.each(Object.keys(pagers) as (keyof typeof pagers)[])('incidents at %s', (type) => {
  test.each(Object.entries(endings))(
    'the incident of an outage is closed when %s, and the next outage pages again',
    async (_, end) => {
      const setup = await watched(type);
      await fixture.publish(setup.monitor.wentDown(DOWN_AT));
      await eventually(() => expect(setup.open()).toHaveLength(1));
      await end(setup);
      await eventually(() => expect(setup.open()).toEqual([]));
      await fixture.rpc.updateChannel({ id: setup.channel.id, enabled: true }, await fixture.as(setup.acme));
      await fixture.publish(setup.monitor.wentDown(LATER));
      await eventually(() => expect(setup.open()).toHaveLength(1));
      const opened = setup.events().filter(({ isOver }) => !isOver);
      expect(new Set(opened.map(({ key }) => key)).size).toBe(2);
    },
  );

  test('a fallback keeps its incident and its reminders when the monitor is renamed, until the broken channel is unlinked', async () => {
    const { acme, channel, open, updated } = await watched(type);
    const as = await fixture.as(acme);
    const [linked, between] = [await fixture.newChannel(acme), await fixture.newChannel(acme)];
    await fixture.rpc.updateChannel({ id: channel.id, reminderMinutes: 60 }, as);
    await fixture.rpc.updateChannel({ id: between.id, fallbackChannelId: channel.id }, as);
    await fixture.rpc.updateChannel({ id: linked.id, fallbackChannelId: between.id }, as);
    for (const { id, path } of [between, linked]) {
      receiver.answer(path, () => ({ status: 410 }));
      await fixture.rpc.testChannel({ id }, as);
    }
    const shop = aMonitor(acme, [linked.id]);
    await fixture.publish(shop.wentDown(DOWN_AT));
    await eventually(() => expect(open()).toHaveLength(1));
    const following = () =>
      fixture.query(
        `select w.name, (select count(*)::int from open_incident where monitor_id = w.id) as incidents,
           (select count(*)::int from outage_timer where monitor_id = w.id) as timers
         from watched_monitor w where w.id = $1`,
        [shop.id],
      );
    await fixture.publish(updated({ id: shop.id, name: 'Store', alertChannelIds: [linked.id] }));
    await eventually(async () => expect(await following()).toMatchObject([{ name: 'Store' }]));
    expect(await following()).toEqual([{ name: 'Store', incidents: 1, timers: 1 }]);
    await fixture.publish(updated({ id: shop.id, name: 'Store', alertChannelIds: [] }));
    await eventually(async () => expect(await following()).toEqual([{ name: 'Store', incidents: 0, timers: 0 }]));
    await eventually(() => expect(open()).toEqual([]));
  });

  test('an outage after missing data opens an incident and closes the incident about the missing data', async () => {
    const { monitor, open } = await watched(type);
    await fixture.publish(monitor.fellSilent(DOWN_AT));
    await eventually(() => expect(open()).toEqual([`tocsin-stale-${monitor.id}`]));
    await fixture.publish(monitor.wentDown(LATER));
    await eventually(() => expect(open()).toEqual([expect.stringMatching(/^tocsin-outage-/)]));
    await fixture.publish(monitor.recovered('2026-01-01T11:05:00Z', LATER));
    await eventually(() => expect(open()).toEqual([]));
  });

  test('each expiry threshold opens an incident and closes the incident of the previous threshold', async () => {
    const { certificateExpires, events, open } = await watched(type);
    for (const [index, days] of [28, 14, 1].entries()) {
      await fixture.publish(certificateExpires(days));
      await eventually(() => expect(events().filter(({ isOver }) => !isOver)).toHaveLength(index + 1));
      await eventually(() => expect(open()).toEqual([expect.stringMatching(`-${days}$`)]));
    }
  });

  test('renewing a certificate closes only the incident of the certificate', async () => {
    const { certificateExpires, certificateRenewed, monitor, open } = await watched(type);
    await fixture.publish(certificateExpires(0), monitor.wentDown(DOWN_AT));
    await eventually(() => expect(open()).toHaveLength(2));
    await fixture.publish(certificateRenewed());
    await eventually(() => expect(open()).toEqual([expect.stringMatching(/^tocsin-outage-/)]));
  });

  test('deleting a channel hides it immediately, closes its incidents and then removes its row', async () => {
    const { acme, channel, monitor, open, path } = await watched(type);
    await fixture.publish(monitor.wentDown(DOWN_AT));
    await eventually(() => expect(open()).toHaveLength(1));
    // Make the first attempt to close the incident fail.
    const before = receiver.on(path).length;
    receiver.answer(path, (nth) => ({ status: nth === before ? 503 : 202 }));
    const as = await fixture.as(acme);
    await fixture.rpc.deleteChannel({ id: channel.id }, as);
    await expect(fixture.rpc.getChannel({ id: channel.id }, as)).rejects.toThrow(/not found/);
    await expect(fixture.rpc.updateChannel({ id: channel.id, enabled: true }, as)).rejects.toThrow(/not found/);
    await expect(fixture.rpc.deleteChannel({ id: channel.id }, as)).rejects.toThrow(/not found/);
    expect((await fixture.rpc.listChannels({}, as)).channels).toEqual([]);
    expect((await fixture.rpc.resolveChannels({ ids: [channel.id] }, as)).ids).toEqual([]);
    await eventually(() => expect(open()).toEqual([]));
    const finished = () =>
      fixture.tables.transaction('every organization', async (tx) => {
        await removeRetiredChannels(tx);
        return tx.query('select from channel where id = $1', [channel.id]);
      });
    await eventually(async () => expect(await finished()).toEqual([]));
  });
});
