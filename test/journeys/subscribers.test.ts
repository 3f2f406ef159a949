import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailServer } from '../../services/notifier/test/start-mail-server.ts';
import { type Network, startNetwork } from '../network.ts';
import { allHeard } from './all-heard.ts';

const stack = new AsyncDisposableStack();
let network: Network;
let mails: Awaited<ReturnType<typeof startMailServer>>;
beforeAll(async () => {
  mails = stack.use(await startMailServer());
  network = stack.use(await startNetwork({ TOCSIN_SMTP_URL: mails.url }));
});
afterAll(() => stack.disposeAsync());

const JANE = 'jane@example.com';

/** Waits until Jane has got this number of mails, and returns the text of the last one. */
const mailToJane = (count: number) =>
  eventually(
    () => {
      expect(mails.to(JANE)).toHaveLength(count);
      return mails.to(JANE)[count - 1]?.text ?? '';
    },
    { timeoutMs: 20_000 },
  );

const send = (url: string, form: Record<string, string>) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });

test('a visitor subscribes on the page, confirms, gets one mail per entry, and unsubscribes by one click', async () => {
  const { api, baseUrl } = network;
  const settings = { name: 'Acme', slug: 'acme-status', enabled: true, subscribers_enabled: true };
  const page = await api.post<{ id: string }>('/status-pages', settings);
  const url = `${baseUrl}/s/acme-status`;
  const shown = await (await fetch(url)).text();
  const [, action = ''] = /<form class="subscribe" method="post" action="([^"]+)">/.exec(shown) ?? [];
  expect(action).toBe('/s/acme-status/subscribe');

  // The form leads to the same page, whether the address is new or not.
  for (const address of [JANE, JANE.toUpperCase()]) {
    const response = await send(`${baseUrl}${action}`, { address });
    expect([response.status, response.headers.get('location')]).toEqual([303, `${action}/sent`]);
  }
  expect(await (await fetch(`${url}/subscribe/sent`)).text()).toContain('Check your mailbox');
  expect((await send(`${baseUrl}${action}`, { address: 'jane' })).headers.get('location')).toBe(`${action}/invalid`);
  expect((await send(`${baseUrl}/s/no-such-page/subscribe`, { address: JANE })).status).toBe(404);
  const confirm = /Confirm: (\S+)/.exec(await mailToJane(1))?.[1] ?? '';
  expect(await (await fetch(confirm)).text()).toContain('<form method="post">');
  expect(await (await send(confirm, {})).text()).toContain('You get updates');

  const disruption = await api.post<{ id: string }>('/disruptions', {
    title: 'Slow search',
    impact: 'minor',
    started_at: new Date().toISOString(),
    message: 'Searches take a **minute**.',
    status_page_id: page.id,
    components: [],
  });
  const text = await mailToJane(2);
  expect(text).toContain('Investigating: Slow search');
  expect(text).toContain('Searches take a minute.');
  expect(text).toContain(`${url}/incidents/${disruption.id}`);
  expect((await fetch(`${url}/incidents/${disruption.id}`)).status).toBe(200);
  await api.patch(`/disruptions/${disruption.id}`, { message: 'This is not mailed.', notify: false });

  const oneClick = /^<(.+)>$/.exec(mails.to(JANE)[1]?.headers['list-unsubscribe'] ?? '')?.[1] ?? '';
  expect((await send(oneClick, { 'List-Unsubscribe': 'One-Click' })).status).toBe(200);
  await api.patch(`/disruptions/${disruption.id}`, { status: 'resolved', message: 'It is fast again.' });
  await allHeard(network);
  expect(mails.to(JANE)).toHaveLength(2);

  await api.patch(`/status-pages/${page.id}`, { subscribers_enabled: false });
  expect((await send(`${baseUrl}${action}`, { address: JANE })).status).toBe(404);
  await eventually(async () => expect(await (await fetch(url)).text()).not.toContain('<form'));
});
