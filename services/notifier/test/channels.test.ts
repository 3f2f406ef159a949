import { fromBinary } from '@bufbuild/protobuf';
import { ChannelService } from '@tocsin/proto/notifier/v1/channel';
import { ChannelCreatedSchema, ChannelDeletedSchema } from '@tocsin/proto/notifier/v1/events';
import { createRpcClient, createTransport } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { notifierFixture } from './start-notifier.ts';

const fixture = await notifierFixture();
afterAll(() => fixture[Symbol.asyncDispose]());
const { rpc, as } = fixture;

const config = { url: 'https://hooks.example.com/x' };
const configJson = JSON.stringify(config);

test('a new channel has the documented defaults, and its configuration is not returned', async () => {
  const acme = v7();
  const created = await fixture.createChannel(acme, config);
  expect(created).toMatchObject({
    organizationId: acme,
    name: 'Ops',
    type: 'webhook',
    enabled: true,
    defaultForNewMonitors: false,
  });
  expect(created.brokenAt).toBeUndefined();
  expect(await fixture.getChannel(acme, created.id)).toEqual(created);
  const second = await fixture.createChannel(acme, config);
  expect((await rpc.listChannels({}, await as(acme))).channels).toEqual([second, created]);
});

test('one response contains all errors in a new channel', async () => {
  const acme = await as(v7());
  await expect(
    rpc.createChannel({ name: '', type: 'webhook', configJson: '{"headers":1}' }, acme),
  ).rejects.toMatchObject({
    kind: 'invalid',
    fields: {
      name: ['is required'],
      'config.url': ['is required'],
      'config.headers': ['must be an object of strings'],
    },
  });
  const unknown = { type: [expect.stringMatching(/^must be one of webhook, slack, discord, /)] };
  await expect(rpc.createChannel({ name: 'x', type: 'fax', configJson }, acme)).rejects.toMatchObject({
    fields: unknown,
  });
  const none = { type: ['is required'] };
  await expect(rpc.createChannel({ name: 'x', configJson }, acme)).rejects.toMatchObject({ fields: none });
  const array = { config: ['must be an object'] };
  await expect(rpc.createChannel({ name: 'x', type: 'slack', configJson: '[]' }, acme)).rejects.toMatchObject({
    fields: array,
  });
});

test.each([
  ['255 characters', '🔔'.repeat(255), undefined],
  ['256 characters', 'x'.repeat(256), 'must be at most 255 characters'],
  ['a line break', 'a\nb', 'must not contain control characters'],
  ['no characters', '', 'is required'],
])('a channel name must have 1 to 255 characters without control characters: %s', async (_, name, problem) => {
  const creating = rpc.createChannel({ name, type: 'webhook', configJson }, await as(v7()));
  if (problem === undefined) expect((await creating).channel?.name).toBe(name);
  else await expect(creating).rejects.toMatchObject({ fields: { name: [problem] } });
});

test('an update changes the given fields but never the type', async () => {
  const acme = v7();
  const { id } = await fixture.createChannel(acme, config);
  const renamed = await rpc.updateChannel({ id, name: 'On call', defaultForNewMonitors: true }, await as(acme));
  expect(renamed.channel).toMatchObject({ name: 'On call', defaultForNewMonitors: true, enabled: true });
  expect((await rpc.updateChannel({ id, type: 'webhook', enabled: false }, await as(acme))).channel).toMatchObject({
    name: 'On call',
    enabled: false,
  });
  await expect(rpc.updateChannel({ id, type: 'slack' }, await as(acme))).rejects.toMatchObject({
    fields: { type: ["can't be changed; this channel is of type webhook"] },
  });
  await expect(rpc.updateChannel({ id, configJson: '{}', name: '' }, await as(acme))).rejects.toMatchObject({
    fields: { name: ['is required'], 'config.url': ['is required'] },
  });
});

test('ids resolve to existing channels, and `defaults` resolves to the default channels for new monitors, oldest first', async () => {
  const acme = v7();
  const [first, second] = [await fixture.createChannel(acme, config), await fixture.createChannel(acme, config)];
  const theirs = await fixture.createChannel(v7(), config);
  const ids = [second.id, theirs.id, 'nonsense', v7(), first.id];
  expect((await rpc.resolveChannels({ ids }, await as(acme))).ids).toEqual([first.id, second.id]);
  expect((await rpc.resolveChannels({ defaults: true }, await as(acme))).ids).toEqual([]);
  await rpc.updateChannel({ id: second.id, defaultForNewMonitors: true }, await as(acme));
  expect((await rpc.resolveChannels({ defaults: true }, await as(acme))).ids).toEqual([second.id]);
});

test("every method returns NOT_FOUND for another organization's channel", async () => {
  const acme = v7();
  const { id } = await fixture.createChannel(acme, config);
  const rival = await as(v7());
  const refusal = { kind: 'not_found', message: 'alert channel not found' };
  for (const unknown of [id, v7(), 'nonsense']) {
    await expect(rpc.getChannel({ id: unknown }, rival)).rejects.toMatchObject(refusal);
    await expect(rpc.updateChannel({ id: unknown, name: 'mine' }, rival)).rejects.toMatchObject(refusal);
    await expect(rpc.deleteChannel({ id: unknown }, rival)).rejects.toMatchObject(refusal);
  }
  expect((await rpc.listChannels({}, rival)).channels).toEqual([]);
  expect((await fixture.getChannel(acme, id))?.name).toBe('Ops');
});

test('row security hides the rows of other organizations from a query that does not filter by organization', async () => {
  const acme = v7();
  await fixture.createChannel(acme, config);
  const see = (organizationId: string) =>
    fixture.tables.transaction({ organizationId }, (tx) => tx.query('select id from channel'));
  expect(await see(acme)).toHaveLength(1);
  expect(await see(v7())).toEqual([]);
});

test('every method without a token returns UNAUTHENTICATED', async () => {
  const stranger = createRpcClient(ChannelService, createTransport({ url: fixture.url, service: 'notifier' }));
  await expect(stranger.listChannels({})).rejects.toMatchObject({ kind: 'unauthenticated' });
});

test('creating and deleting a channel publishes events in order', async () => {
  const acme = v7();
  const { id } = await fixture.createChannel(acme, config);
  await rpc.deleteChannel({ id }, await as(acme));
  await expect(fixture.getChannel(acme, id)).rejects.toMatchObject({ kind: 'not_found' });
  await eventually(async () => {
    const events = await fixture.publishedAbout(id);
    expect(events.map(({ type }) => type)).toEqual([ChannelCreatedSchema.typeName, ChannelDeletedSchema.typeName]);
    const deleted = fromBinary(ChannelDeletedSchema, events[1]?.data ?? new Uint8Array());
    expect(deleted.channelId).toBe(id);
  });
});

test('concurrent requests cannot create more channels and webhook subscriptions than the limits allow', async () => {
  const organizationId = v7();
  const us = await as(organizationId, { limits: { alert_channels: 3, webhook_subscriptions: 2 } });
  const six = <Result>(create: () => Promise<Result>) => Promise.allSettled(Array.from({ length: 6 }, create));
  const succeeded = (results: PromiseSettledResult<unknown>[]) =>
    results.filter(({ status }) => status === 'fulfilled').length;
  const channel = { name: 'Ops', type: 'webhook', configJson: JSON.stringify(config) };
  expect(succeeded(await six(() => rpc.createChannel(channel, us)))).toBe(3);
  await expect(rpc.createChannel(channel, us)).rejects.toMatchObject({
    kind: 'invalid',
    fields: { alert_channels: ['are limited to 3 for this organization, which has 3'] },
  });
  const subscription = { url: 'https://hooks.example.com/x', events: ['monitor.created'] };
  expect(succeeded(await six(() => fixture.subscriptions.createSubscription(subscription, us)))).toBe(2);
  await expect(fixture.subscriptions.createSubscription(subscription, us)).rejects.toMatchObject({
    fields: { webhook_subscriptions: ['are limited to 2 for this organization, which has 2'] },
  });
  await expect(rpc.createChannel(channel, await as(v7()))).resolves.toBeDefined();
});
