import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { openDatabase } from '@tocsin/database';
import { appendEvents, outboxMigrations, outgoingEvent, startRelay } from '@tocsin/outbox';
import { CheckConfigService } from '@tocsin/proto/monitor/v1/checks';
import { CheckType, MonitorService, MonitorState } from '@tocsin/proto/monitor/v1/monitor';
import { ChannelDeletedSchema } from '@tocsin/proto/notifier/v1/events';
import { createRuntime } from '@tocsin/runtime';
import { eventually, testDatabase } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { unlinkChannel } from '../src/app/monitors/link-channels.ts';
import { lockChannelLinks } from '../src/storage/monitors/channel-link-store.ts';
import { CONFIG, monitorFixture } from './start-monitor.ts';

const fixture = await monitorFixture();
const replica = await fixture.start();
afterAll(() => fixture[Symbol.asyncDispose]());

const acme = v7();
const rival = v7();
const client = await replica.clientOf(acme);
const stranger = await replica.clientOf(rival);

async function createShop(fields: object = {}) {
  const { monitor } = await client.createMonitor({
    name: 'Shop',
    checkType: CheckType.HTTP,
    configJson: CONFIG,
    ...fields,
  });
  if (!monitor) throw new Error('no monitor');
  return monitor;
}

test('absent settings get the defaults of the API', async () => {
  expect(await createShop()).toMatchObject({
    organizationId: acme,
    enabled: true,
    intervalSeconds: 180,
    timeoutMs: 10_000,
    confirmDownMinutes: 1,
    confirmUpMinutes: 3,
    confirmDownAfter: 3,
    confirmUpAfter: 1,
    alertChannelIds: [],
  });
});

test('a config is returned exactly as it was sent, with its keys in the same order', async () => {
  const configJson = '{"url":"https://example.com","zeta":[1,{"b":2,"a":1}],"alpha":null,"method":"GET"}';
  const { id } = await createShop({ configJson });
  expect((await client.getMonitor({ id })).monitor?.configJson).toBe(configJson);
});

test('an update leaves absent settings unchanged', async () => {
  const { id, createdAt } = await createShop({ intervalSeconds: 60, timeoutMs: 5_000 });
  const { monitor } = await client.updateMonitor({ id, name: 'Store' });
  expect(monitor).toMatchObject({
    name: 'Store',
    intervalSeconds: 60,
    timeoutMs: 5_000,
    createdAt,
    configJson: CONFIG,
  });
});

test('a rejected update has no effect', async () => {
  const { id } = await createShop();
  const before = await client.getMonitor({ id });
  await expect(client.updateMonitor({ id, name: 'Store', intervalSeconds: 1 })).rejects.toMatchObject({
    kind: 'invalid',
    fields: { interval_seconds: ['must be between 30 and 86400'] },
  });
  expect(await client.getMonitor({ id })).toEqual(before);
});

test("a monitor's type can't be changed", async () => {
  const { id } = await createShop();
  await expect(client.updateMonitor({ id, checkType: CheckType.TCP })).rejects.toMatchObject({
    fields: { check_type: ["can't be changed; this monitor is of type http"] },
  });
});

test("a list contains only the organization's monitors, newest first", async () => {
  const one = await createShop({ name: 'one' });
  const two = await createShop({ name: 'two' });
  const { monitors } = await client.listMonitors({});
  expect(monitors.slice(0, 2).map(({ id }) => id)).toEqual([two.id, one.id]);
  expect((await stranger.listMonitors({})).monitors).toEqual([]);
});

test('if monitors are created between two requests, pages do not repeat or skip monitors', async () => {
  const organizationId = v7();
  const owner = await replica.clientOf(organizationId);
  const http = { checkType: CheckType.HTTP, configJson: CONFIG };
  for (let index = 0; index < 7; index += 1) await owner.createMonitor({ name: `m${index}`, ...http });
  const names: string[] = [];
  let cursor = '';
  do {
    const page = await owner.listMonitors({ limit: 3, cursor });
    names.push(...page.monitors.map(({ name }) => name));
    cursor = page.nextCursor;
    await owner.createMonitor({ name: 'meanwhile', ...http });
  } while (cursor);
  expect(names).toEqual(['m6', 'm5', 'm4', 'm3', 'm2', 'm1', 'm0']);
  await expect(owner.listMonitors({ limit: 3, cursor: 'nonsense' })).rejects.toMatchObject({
    fields: { cursor: ['is not from the link to a next page'] },
  });
});

test('a page of a list ends early if its monitors have many linked channels', async () => {
  const organizationId = v7();
  const owner = await replica.clientOf(organizationId);
  const ids = Array.from({ length: 50 }, () => fixture.channels.add(organizationId, false));
  const settings = ids.map((channelId) => ({ channelId, afterMinutes: 5, events: ['monitor_down'] }));
  const monitor = { name: 'Shop', checkType: CheckType.HTTP, configJson: CONFIG, alertChannels: { ids, settings } };
  for (let created = 0; created < 300; created += 100) {
    await owner.createMonitors({ monitors: Array.from({ length: 100 }, () => monitor) });
  }
  const first = await owner.listMonitors({});
  expect(first.monitors.length).toBeLessThan(250);
  const rest = await owner.listMonitors({ cursor: first.nextCursor });
  expect(new Set([...first.monitors, ...rest.monitors].map(({ id }) => id)).size).toBe(300);
  expect(rest.nextCursor).toBe('');
});

test('a list can be filtered by type, enabled, state and a substring of the name', async () => {
  const organizationId = v7();
  const owner = await replica.clientOf(organizationId);
  const http = { checkType: CheckType.HTTP, configJson: CONFIG };
  await owner.createMonitor({ name: 'Shop 100%', ...http });
  await owner.createMonitor({ name: 'Help', enabled: false, ...http });
  const names = async (request: Parameters<typeof owner.listMonitors>[0]) =>
    (await owner.listMonitors(request)).monitors.map(({ name }) => name);
  expect(await names({ checkType: CheckType.HTTP })).toEqual(['Help', 'Shop 100%']);
  expect(await names({ checkType: CheckType.TCP })).toEqual([]);
  expect(await names({ enabled: true })).toEqual(['Shop 100%']);
  expect(await names({ enabled: false })).toEqual(['Help']);
  expect(await names({ state: MonitorState.PENDING })).toEqual(['Help', 'Shop 100%']);
  expect(await names({ state: MonitorState.UP })).toEqual([]);
  expect(await names({ nameContains: '0%' })).toEqual(['Shop 100%']);
  expect(await names({ nameContains: 'SHOP' })).toEqual(['Shop 100%']);
});

test("a monitor without a list of channels gets the organization's default channels, and a monitor with an empty list gets none", async () => {
  const usual = fixture.channels.add(acme, true);
  fixture.channels.add(rival, true);
  expect((await createShop()).alertChannelIds).toEqual([usual]);
  expect((await createShop({ alertChannels: { ids: [] } })).alertChannelIds).toEqual([]);
});

test("a monitor can't be linked to another organization's channel or to an invalid id", async () => {
  const theirs = fixture.channels.add(rival, false);
  await expect(createShop({ alertChannels: { ids: [theirs, 'x'] } })).rejects.toMatchObject({
    kind: 'invalid',
    fields: {
      'alert_channel_ids.0': ['is not an alert channel of this organization'],
      'alert_channel_ids.1': ['is not an alert channel of this organization'],
    },
  });
});

test('a deleted channel is unlinked from all monitors', async () => {
  const channelId = fixture.channels.add(acme, false);
  const { id } = await createShop({ alertChannels: { ids: [channelId] } });
  await using notifier = await testDatabase('notifier');
  await using database = await openDatabase({ url: notifier.url, entities: [], migrations: outboxMigrations });
  await using _relay = startRelay({
    databaseUrl: notifier.url,
    nats: fixture.nats,
    runtime: createRuntime('notifier', { logLevel: 'error' }),
  });
  await database.transaction('every organization', (tx) =>
    appendEvents(tx, [
      outgoingEvent(ChannelDeletedSchema, { channelId }, { organizationId: acme, aggregateId: channelId }),
    ]),
  );
  await eventually(async () => expect((await client.getMonitor({ id })).monitor?.alertChannelIds).toEqual([]));
});

/** Deletes a channel in the same way as the handler for the notifier's event. */
async function deleteChannel(channelId: string): Promise<void> {
  await fixture.tables.transaction({ organizationId: acme }, (tx) =>
    unlinkChannel(tx, { organizationId: acme, channelId, now: new Date() }),
  );
}

test('if a channel is deleted while a request links it, the link is removed', async () => {
  const channelId = fixture.channels.add(acme, false);
  const other = fixture.channels.add(acme, false);
  // The channel is deleted between its lookup and the insertion of the link.
  const { id } = await createShop({ alertChannels: { ids: [] } });
  fixture.channels.whenAsked = () => deleteChannel(channelId);
  const link = client.updateMonitor({ id, alertChannels: { ids: [other, channelId] } });
  await expect(link).rejects.toMatchObject({
    fields: { 'alert_channel_ids.1': ['is not an alert channel of this organization'] },
  });
  expect((await client.getMonitor({ id })).monitor?.alertChannelIds).toEqual([]);
});

test('the deletion of a channel waits for a concurrent link and then removes the link', async () => {
  const channelId = fixture.channels.add(acme, false);
  const { id } = await createShop({ alertChannels: { ids: [] } });
  let deleted: Promise<void> | undefined;
  await fixture.tables.transaction({ organizationId: acme }, async (tx) => {
    await lockChannelLinks(tx, acme, 'shared');
    deleted = deleteChannel(channelId);
    await tx.query('update monitor set alert_channel_ids = array[$2::uuid] where id = $1', [id, channelId]);
  });
  await deleted;
  expect((await client.getMonitor({ id })).monitor?.alertChannelIds).toEqual([]);
});

test('an update that still lists a deleted channel is accepted, and the channel is removed', async () => {
  const gone = v7();
  const channelId = fixture.channels.add(acme, false);
  const { id } = await createShop({ alertChannels: { ids: [channelId] } });
  await fixture.tables.transaction({ organizationId: acme }, (tx) =>
    tx.query('update monitor set alert_channel_ids = array[$2, $3]::uuid[] where id = $1', [id, gone, channelId]),
  );
  const { monitor } = await client.getMonitor({ id });
  expect(monitor?.alertChannelIds).toEqual([gone, channelId]);
  const { monitor: after } = await client.updateMonitor({ id, alertChannels: { ids: monitor?.alertChannelIds ?? [] } });
  expect(after?.alertChannelIds).toEqual([channelId]);
});

test.each(['nonsense', '01920000-0000-7000-8000-000000000000'])('a monitor with the id %s is not found', async (id) => {
  await expect(client.getMonitor({ id })).rejects.toMatchObject({ kind: 'not_found', message: 'monitor not found' });
});

test("another organization's monitor is not found", async () => {
  const { id } = await createShop();
  const missing = { kind: 'not_found', message: 'monitor not found' };
  await expect(stranger.getMonitor({ id })).rejects.toMatchObject(missing);
  await expect(stranger.updateMonitor({ id, name: 'mine' })).rejects.toMatchObject(missing);
  await expect(stranger.deleteMonitor({ id })).rejects.toMatchObject(missing);
  await expect(stranger.checkMonitor({ id })).rejects.toMatchObject(missing);
  await expect(stranger.getMonitorState({ id })).rejects.toMatchObject(missing);
  expect((await stranger.resolveMonitors({ ids: [id] })).ids).toEqual([]);
  expect((await client.getMonitor({ id })).monitor?.name).toBe('Shop');
});

test("row-level security hides other organizations' monitors from a query without a condition", async () => {
  await createShop();
  await using database = await openDatabase({ url: fixture.database.url, entities: [], migrations: [] });
  expect(await database.transaction({ organizationId: rival }, (tx) => tx.query('select id from monitor'))).toEqual([]);
});

test('only checkers can read configurations and send screenshots, and a call without a token can read nothing', async () => {
  const transport = createConnectTransport({
    baseUrl: `http://127.0.0.1:${replica.service.rpcPort}`,
    httpVersion: '2',
  });
  const configs = createClient(CheckConfigService, transport);
  const { id } = await createShop();
  const headers = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const asChecker = headers(await fixture.identity.serviceToken('checker'));
  expect((await configs.getCheckConfigs({ monitorIds: [id] }, asChecker)).configs).toMatchObject([
    { monitorId: id, configJson: CONFIG },
  ]);
  const asTenant = headers(await fixture.identity.credentialToken(acme));
  await expect(configs.getCheckConfigs({ monitorIds: [id] }, asTenant)).rejects.toMatchObject({
    code: Code.PermissionDenied,
  });
  const picture = { monitorId: id, roundAt: timestampFromDate(fixture.clock.now()), region: 'local' };
  const image = Uint8Array.of(0xff, 0xd8, 0xff);
  await expect(configs.keepScreenshot({ ...picture, image }, asTenant)).rejects.toMatchObject({
    code: Code.PermissionDenied,
  });
  await configs.keepScreenshot(
    { ...picture, image: new Uint8Array([...image, ...new Uint8Array(524_285)]) },
    asChecker,
  );
  await expect(createClient(MonitorService, transport).listMonitors({})).rejects.toMatchObject({
    code: Code.Unauthenticated,
  });
});

test('an organization can create monitors up to its limit', async () => {
  const limited = await replica.clientOf(v7(), { limits: { monitors: 2 } });
  const create = () => limited.createMonitor({ name: 'Shop', checkType: CheckType.HTTP, configJson: CONFIG });
  const attempts = await Promise.allSettled(Array.from({ length: 5 }, create));
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  await expect(create()).rejects.toMatchObject({
    kind: 'invalid',
    fields: { monitors: ['are limited to 2 for this organization, which has 2'] },
  });
});

test('concurrent requests of an organization create monitors in a few transactions', async () => {
  const organizationId = v7();
  const owner = await replica.clientOf(organizationId);
  const create = () => owner.createMonitor({ name: 'Shop', checkType: CheckType.HTTP, configJson: CONFIG });
  await Promise.all(Array.from({ length: 20 }, create));
  const transactions = await fixture.tables.transaction({ organizationId }, (tx) =>
    tx.query('select xmin from monitor where organization_id = $1 group by xmin', [organizationId]),
  );
  expect(transactions.length).toBeLessThanOrEqual(10);
});

test('a batch creates all monitors with their schedules, heartbeats, secrets and events, or none if one is invalid', async () => {
  const organizationId = v7();
  const owner = await replica.clientOf(organizationId);
  const shop = { name: 'Shop', checkType: CheckType.HTTP, configJson: CONFIG };
  const job = { name: 'Job', checkType: CheckType.HEARTBEAT, configJson: '{}' };
  const secret = { ...shop, secrets: { set: [{ name: 'KEY', value: 'x' }] } };
  const { monitors } = await owner.createMonitors({ monitors: [shop, job, { ...shop, enabled: false }, secret] });
  expect(monitors.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['Shop', true],
    ['Job', true],
    ['Shop', false],
    ['Shop', true],
  ]);
  expect(monitors[1]?.heartbeatToken).toMatch(/^[\w-]{32}$/);
  const ids = monitors.map(({ id }) => id);
  const stored = await fixture.tables.transaction('every organization', (tx) =>
    tx.query(
      `select m.id, exists(select from schedule s where s.monitor_id = m.id) as scheduled,
       exists(select from silence_watch w where w.monitor_id = m.id) as watched,
       exists(select from heartbeat h where h.monitor_id = m.id) as beats,
       (select last from outbox_sequence q where q.aggregate_id = m.id)::integer as events
     from monitor m where organization_id = $1 order by array_position($2::uuid[], m.id)`,
      [organizationId, ids],
    ),
  );
  expect(stored).toEqual([
    { id: ids[0], scheduled: true, watched: true, beats: false, events: 1 },
    { id: ids[1], scheduled: false, watched: false, beats: true, events: 1 },
    { id: ids[2], scheduled: false, watched: false, beats: false, events: 1 },
    { id: ids[3], scheduled: true, watched: true, beats: false, events: 1 },
  ]);

  const wrong = { ...shop, configJson: '{"url":"x"}' };
  await expect(owner.createMonitors({ monitors: [shop, wrong] })).rejects.toMatchObject({
    kind: 'invalid',
    fields: { 'monitors.1.config.url': [expect.any(String)] },
  });
  expect((await owner.listMonitors({})).monitors).toHaveLength(4);
});

test.each([0, 201])('a batch of %d monitors is refused, because a batch must have 1 to 200 monitors', async (count) => {
  const shop = { name: 'Shop', checkType: CheckType.HTTP, configJson: CONFIG };
  await expect(client.createMonitors({ monitors: Array(count).fill(shop) })).rejects.toMatchObject({
    fields: { monitors: [`must be 1 to 200 monitors, and has ${count}`] },
  });
});

test("concurrent batches together do not exceed the organization's limit", async () => {
  const limited = await replica.clientOf(v7(), { limits: { monitors: 3 } });
  const shop = { name: 'Shop', checkType: CheckType.HTTP, configJson: CONFIG };
  const create = (count: number) => limited.createMonitors({ monitors: Array(count).fill(shop) });
  await expect(create(4)).rejects.toMatchObject({
    fields: { monitors: ['are limited to 3 for this organization, which has 0; this request adds 4'] },
  });
  const outcomes = await Promise.allSettled([create(2), create(2), create(2)]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  await create(1);
  await expect(create(1)).rejects.toMatchObject({
    fields: { monitors: ['are limited to 3 for this organization, which has 3'] },
  });
});
