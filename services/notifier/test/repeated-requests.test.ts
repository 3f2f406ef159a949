import { randomUUID } from 'node:crypto';
import { withIdempotencyId } from '@tocsin/runtime';
import { EXECUTED_ONCE, observeRepeats } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { notifierFixture } from './start-notifier.ts';

const fixture = await notifierFixture();
const { rpc, subscriptions } = fixture;
afterAll(() => fixture[Symbol.asyncDispose]());

const url = 'https://hooks.example.com/x';
const channel = { name: 'Ops', type: 'webhook', configJson: JSON.stringify({ url }) };
const webhook = { url, events: ['monitor.created'] };

test('a repeated creation creates one channel, even if it is the last one of the quota', async () => {
  const as = await fixture.as(v7(), { limits: { alert_channels: 1 } });
  const repeated = withIdempotencyId(randomUUID(), as);
  const observed = await observeRepeats({
    create: async () => [(await rpc.createChannel(channel, repeated)).channel?.id ?? ''],
    list: async () => (await rpc.listChannels({}, as)).channels.map(({ id }) => id),
    remove: ([id = '']) => rpc.deleteChannel({ id }, as),
  });
  expect(observed).toEqual(EXECUTED_ONCE);
});

test('a repeated creation creates one webhook, even if it is the last one of the quota', async () => {
  const as = await fixture.as(v7(), { limits: { webhook_subscriptions: 1 } });
  const repeated = withIdempotencyId(randomUUID(), as);
  const observed = await observeRepeats({
    create: async () => [(await subscriptions.createSubscription(webhook, repeated)).subscription?.id ?? ''],
    list: async () => (await subscriptions.listSubscriptions({}, as)).subscriptions.map(({ id }) => id),
    remove: ([id = '']) => subscriptions.deleteSubscription({ id }, as),
  });
  expect(observed).toEqual(EXECUTED_ONCE);
});

test('a repeated creation of a webhook returns its current secret, but not to a credential that may not read its events', async () => {
  const acme = v7();
  const as = await fixture.as(acme);
  const permissions = ['monitors:read_write'];
  const repeated = withIdempotencyId(randomUUID(), await fixture.as(acme, { permissions }));
  const create = () => subscriptions.createSubscription(webhook, repeated);
  const { subscription, secret } = await create();
  const id = subscription?.id ?? '';
  expect(await create()).toMatchObject({ subscription: { id }, secret });
  const rotated = await subscriptions.rotateSecret({ id }, as);
  expect(await create()).toMatchObject({ subscription: { id }, secret: rotated.secret });
  await subscriptions.updateSubscription({ id, events: { kinds: ['disruption.created'] } }, as);
  await expect(create()).rejects.toMatchObject({ kind: 'forbidden' });
});

test('a repeated rotation does not replace the secret again, so that the former secret stays valid', async () => {
  const as = await fixture.as(v7());
  const { subscription } = await subscriptions.createSubscription(webhook, as);
  const id = subscription?.id ?? '';
  const repeated = withIdempotencyId(randomUUID(), as);
  const rotate = async () => (await subscriptions.rotateSecret({ id }, repeated)).secret;
  const secrets = await Promise.all([rotate(), rotate(), rotate()]);
  expect(new Set([...secrets, await rotate()]).size).toBe(1);
  expect((await subscriptions.rotateSecret({ id }, as)).secret).not.toBe(secrets[0]);
});
