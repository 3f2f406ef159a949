import { ServiceError } from '@tocsin/errors';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PageName, SubscriptionOutcome } from '../src/clients/page-subscribers.ts';
import { AddressWindows } from '../src/plugins/address-windows.ts';
import { addErrorHandlers } from '../src/plugins/errors.ts';
import { addSubscriptions, SUBSCRIPTIONS_PER_MINUTE } from '../src/routes/subscribe.ts';

let app: FastifyInstance;
let outcome: SubscriptionOutcome | ServiceError;
const seen: { name: PageName; address: string }[] = [];
beforeEach(async () => {
  app = fastify();
  seen.length = 0;
  outcome = 'accepted';
  addErrorHandlers(app);
  const subscribers = {
    async subscribe(name: PageName, address: string) {
      seen.push({ name, address });
      if (outcome instanceof ServiceError) throw outcome;
      return outcome;
    },
  };
  await addSubscriptions(app, subscribers, new AddressWindows(SUBSCRIPTIONS_PER_MINUTE));
});
afterEach(() => app.close());

const headers = { 'content-type': 'application/x-www-form-urlencoded', host: 'Status.example.com:8080' };
const send = (url = '/s/acme/subscribe', payload = 'address=jane%40example.com') =>
  app.inject({ method: 'POST', url, headers, payload });

test.each<[string, string, PageName]>([
  ['/s/acme/subscribe', '/s/acme/subscribe/sent', { host: 'status.example.com', slug: 'acme' }],
  ['/s/a%2F..%2Fb/subscribe', '/s/a%2F..%2Fb/subscribe/sent', { host: 'status.example.com', slug: 'a/../b' }],
  ['/subscribe', '/subscribe/sent', { host: 'status.example.com', slug: undefined }],
])('the form at %s leads to %s', async (url, location, name) => {
  expect(await send(url)).toMatchObject({ statusCode: 303, headers: { location, 'cache-control': 'no-store' } });
  expect(seen).toEqual([{ name, address: 'jane@example.com' }]);
});

test.each<[SubscriptionOutcome, string]>([
  ['invalid', '/s/acme/subscribe/invalid'],
  ['full', '/s/acme/subscribe/full'],
])('the outcome %s leads to %s', async (next, location) => {
  outcome = next;
  expect(await send()).toMatchObject({ statusCode: 303, headers: { location } });
});

test('a page that takes no subscribers is a 404 page', async () => {
  outcome = 'no_page';
  expect(await send()).toMatchObject({ statusCode: 404, headers: { 'content-type': 'text/html; charset=utf-8' } });
});

test('while a service is unavailable, the visitor gets a 503 page', async () => {
  outcome = new ServiceError('unavailable', 'statuspage does not respond');
  expect(await send()).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5' } });
});

test('an address can send five forms per minute, whatever the page', async () => {
  for (let nth = 1; nth <= SUBSCRIPTIONS_PER_MINUTE; nth += 1) {
    expect((await send(`/s/page-${nth}/subscribe`)).statusCode).toBe(303);
  }
  const refused = await send('/subscribe');
  expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
  expect(seen).toHaveLength(SUBSCRIPTIONS_PER_MINUTE);
});

test('a large form and a body other than a form are refused', async () => {
  expect((await send('/subscribe', `address=${'x'.repeat(2_048)}`)).statusCode).toBe(413);
  expect((await app.inject({ method: 'POST', url: '/subscribe', payload: { address: 'x' } })).statusCode).toBe(415);
  expect(seen).toEqual([]);
});
