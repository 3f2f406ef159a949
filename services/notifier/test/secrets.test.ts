import { toJson } from '@bufbuild/protobuf';
import { ChannelSchema } from '@tocsin/proto/notifier/v1/channel';
import { eventually } from '@tocsin/testing';
import { v7 } from 'uuid';
import { afterAll, expect, test } from 'vitest';
import { apisAt } from './provider-apis.ts';
import { startReceiver } from './receiver.ts';
import { aMonitor, notifierFixture } from './start-notifier.ts';

const CANARY = 'c4n4ry-9f3b';
/** 30 bytes in base64. */
const SIGNING = `whsec_${'c4n4ry9f3b'.repeat(4)}`;

const receiver = await startReceiver();
const fixture = await notifierFixture({ apiUrls: apisAt(receiver.url) });
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const LONG = { timeoutMs: 60_000 };

test("responses, events, logs and tables do not contain a channel's secrets, even after failures", async () => {
  const acme = v7();
  const path = `/hook/${CANARY}`;
  // The receiver repeats the secret from the request in its response.
  const echo = () => ({ status: 401, body: `bad token ${CANARY}`, headers: { 'x-echo': CANARY } });
  const paths = [
    path,
    `/api/webhooks/1/${CANARY}?wait=true`,
    `/bot1:${CANARY}/sendMessage`,
    '/2010-04-01/Accounts/AC1/Messages.json',
    '/api/events',
  ];
  for (const echoing of paths) receiver.answer(echoing, echo);
  receiver.answer('/api/chat.postMessage', () => ({ status: 200, body: `{"ok":false,"error":"bad ${CANARY}"}` }));

  const configs: [unknown, string][] = [
    [{ url: `${receiver.url}${path}`, headers: { Authorization: CANARY }, signing_secret: SIGNING }, 'webhook'],
    // A port on which nothing listens.
    [{ url: `http://127.0.0.1:1/${CANARY}`, signing_secret: SIGNING }, 'webhook'],
    [{ url: `https://nowhere.invalid/${CANARY}` }, 'webhook'],
    [{ webhook_url: `${receiver.url}${path}` }, 'slack'],
    [{ bot_token: `xoxb-${CANARY}`, channel_id: 'C1' }, 'slack'],
    [{ webhook_url: `https://discord.com/api/webhooks/1/${CANARY}` }, 'discord'],
    [{ bot_token: `1:${CANARY}`, chat_id: '1' }, 'telegram'],
    [{ account_sid: 'AC1', auth_token: CANARY, from: '12345', to: '+15551234567' }, 'sms'],
    [{ api_key: CANARY }, 'ilert'],
  ];
  const channels = await Promise.all(configs.map(([config, type]) => fixture.createChannel(acme, config, type)));
  const wrong = {
    name: '',
    type: 'webhook',
    configJson: JSON.stringify({ url: CANARY, headers: { a: `${CANARY}\n` } }),
  };
  const refusal = await fixture.rpc.createChannel(wrong, await fixture.as(acme)).catch((error: unknown) => error);

  const ids = channels.map(({ id }) => id);
  await fixture.publish(aMonitor(acme, ids).wentDown('2026-01-01T10:00:00Z'));
  const rows = await eventually(async () => {
    const found = await fixture.query<{ status: string; attempts: number }>(
      `select d.* from delivery d join alert a on a.id = d.alert_id
       where channel_id = any($1) and a.kind = 'monitor_down'`,
      [ids],
    );
    // Each alert either was attempted, or is held because its channel is broken.
    for (const { status, attempts } of found) expect(status === 'held' || attempts > 0).toBe(true);
    expect(found).toHaveLength(configs.length);
    return found;
    // Without a network, resolving an unknown name takes a long time to fail.
  }, LONG);
  expect(receiver.received.some(({ headers }) => headers.authorization === CANARY)).toBe(true);

  const { channels: listed } = await fixture.rpc.listChannels({}, await fixture.as(acme));
  const published = await eventually(async () => {
    const events = (await Promise.all(ids.map(fixture.publishedAbout))).flat();
    // Nine events report that a channel was created. Six events report that a channel is broken.
    expect(events).toHaveLength(15);
    return events.map(({ data }) => Buffer.from(data).toString('latin1'));
  });
  const places: Record<string, unknown> = {
    answers: listed.map((channel) => toJson(ChannelSchema, channel)),
    refusal: [String(refusal), JSON.stringify(refusal)],
    published,
    logs: fixture.logged,
    deliveries: rows,
    attempts: await fixture.query('select * from delivery_attempt'),
    channels: await fixture.query('select * from channel'),
  };
  expect(fixture.logged.join('')).toContain('alert not delivered');
  for (const [place, content] of Object.entries(places)) {
    expect(JSON.stringify(content), place).not.toContain(CANARY);
    expect(JSON.stringify(content), place).not.toContain(SIGNING);
  }
});
