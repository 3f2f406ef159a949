import { createServer } from 'node:http';
import { listen } from '@tocsin/runtime';
import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailServer } from '../../services/notifier/test/start-mail-server.ts';
import { type Network, startNetwork } from '../network.ts';

const stack = new AsyncDisposableStack();
let network: Network;
let mails: Awaited<ReturnType<typeof startMailServer>>;
/** URL of a port without a listener, used as a failing target and as an unreachable receiver. */
let gone: string;
beforeAll(async () => {
  mails = stack.use(await startMailServer());
  const server = createServer((_, response) => response.writeHead(410).end());
  gone = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}/`;
  stack.defer(() => void server.close());
  network = stack.use(await startNetwork({ TOCSIN_SMTP_URL: mails.url, TOCSIN_MAIL_FROM: 'Ops <tocsin@example.com>' }));
});
afterAll(() => stack.disposeAsync());

test('a mail channel gets test mails and alerts, and the owner gets a mail when the channel is marked as broken', async () => {
  const { api } = network;
  const recipients = ['night@example.com', 'day@example.com'];
  const mail = { name: 'Shift', type: 'email', config: { recipients } };
  const night = await api.post<{ id: string }>('/alert-channels', mail);
  const hook = { name: 'Old pager', type: 'webhook', config: { url: gone } };
  const pager = await api.post<{ id: string }>('/alert-channels', hook);
  for (const recipient of recipients) await confirm(recipient);
  expect(await api.get(`/alert-channels/${night.id}`)).toMatchObject({
    recipients: [
      { address: 'n***@example.com', status: 'confirmed' },
      { address: 'd***@example.com', status: 'confirmed' },
    ],
  });
  await api.post(`/alert-channels/${night.id}/test`);
  expect(mails.to('night@example.com')[1]).toMatchObject({ to: ['night@example.com'], from: 'tocsin@example.com' });

  await api.post('/monitors', {
    name: 'Shop',
    check_type: 'http',
    config: { url: gone },
    interval_seconds: 30,
    confirm_down_minutes: 0,
    alert_channel_ids: [night.id, pager.id],
  });
  const withinARound = { timeoutMs: 45_000 };
  await eventually(() => expect(mails.to('day@example.com')).toHaveLength(3), withinARound);
  expect(mails.to('day@example.com')[2]?.text).toContain('Shop is down');
  await eventually(() => expect(mails.to('owner@localhost')).toHaveLength(1));
  expect(mails.to('owner@localhost')[0]?.text).toContain('Alert channel Old pager is broken');
});

/** Confirms a mail recipient with the link in the recipient's only mail. */
async function confirm(recipient: string): Promise<void> {
  const text = await eventually(() => {
    expect(mails.to(recipient)).toHaveLength(1);
    return mails.to(recipient)[0]?.text ?? '';
  });
  const link = /Confirm: (\S+)/.exec(text)?.[1] ?? '';
  expect(await (await fetch(link)).text()).toContain('<form method="post">');
  expect(await (await fetch(link, { method: 'POST', body: new URLSearchParams() })).text()).toContain('You get alerts');
}
