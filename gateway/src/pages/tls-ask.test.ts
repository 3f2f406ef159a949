import fastify from 'fastify';
import { expect, test } from 'vitest';
import { AddressWindows } from '../plugins/address-windows.ts';
import { RecentAnswers } from './recent-answers.ts';
import { addTlsAsk } from './tls-ask.ts';

const ACTIVE = 'status.acme.example';
const LIMIT = 5;

function start(trustedProxies: string[] = []) {
  const state = { isAway: false, now: 0, asked: [] as string[] };
  const certificates = new RecentAnswers({
    now: () => state.now,
    ask: async (domain) => {
      state.asked.push(domain);
      return state.isAway ? undefined : domain === ACTIVE;
    },
  });
  const app = fastify({ trustProxy: trustedProxies.length > 0 ? trustedProxies : false });
  addTlsAsk(app, { certificates, asks: new AddressWindows(LIMIT), trustedProxies });
  const ask = async (domain: string, remoteAddress = '127.0.0.1', headers: Record<string, string> = {}) => {
    const url = `/internal/tls-ask?domain=${encodeURIComponent(domain)}`;
    return (await app.inject({ url, remoteAddress, headers })).statusCode;
  };
  return { app, ask, state, certificates };
}

let domains = 0;

/** Returns the statuses for more different domains than an address may ask for. */
async function askAboutMany(ask: ReturnType<typeof start>['ask'], address: string, headers?: Record<string, string>) {
  const statuses: number[] = [];
  while (statuses.length < LIMIT + 2) {
    domains += 1;
    statuses.push(await ask(`domain-${domains}.example`, address, headers));
  }
  return statuses;
}

const LIMITED = [404, 404, 404, 404, 404, 429, 429];
const UNLIMITED = Array(LIMIT + 2).fill(404);

test('certificates are allowed for active domains only', async () => {
  const { app, ask } = start();
  expect([await ask(ACTIVE), await ask(ACTIVE.toUpperCase()), await ask('other.example')]).toEqual([200, 200, 404]);
  for (const url of ['', '?domain=', '?domain=a&domain=b', `?domain=${'x'.repeat(256)}`]) {
    expect((await app.inject(`/internal/tls-ask${url}`)).statusCode, url).toBe(404);
  }
});

test('the questions of an address are limited, and those of other addresses and proxies still pass', async () => {
  const { ask } = start();
  expect(await askAboutMany(ask, '192.0.2.1')).toEqual(LIMITED);
  expect(await ask(ACTIVE, '192.0.2.2')).toBe(200);
  // The answer about this domain is known.
  expect(await ask(ACTIVE, '192.0.2.1')).toBe(200);
  for (const proxy of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
    expect(await askAboutMany(ask, proxy)).toEqual(UNLIMITED);
});

test('the questions of a trusted proxy are not limited, and those that it forwards are', async () => {
  const { ask } = start(['10.0.0.1']);
  expect(await askAboutMany(ask, '10.0.0.1')).toEqual(UNLIMITED);
  expect(await askAboutMany(ask, '10.0.0.1', { 'x-forwarded-for': '192.0.2.1' })).toEqual(LIMITED);
  expect(await ask('new.example', '10.0.0.1')).toBe(404);
});

test('the questions that an untrusted proxy on this machine forwards are limited', async () => {
  const { ask } = start();
  expect(await askAboutMany(ask, '127.0.0.1', { 'x-forwarded-for': '192.0.2.1' })).toEqual(LIMITED);
});

test('an answer is used for five seconds, until a change, and for longer while the service does not respond', async () => {
  const { ask, state, certificates } = start();
  expect([await ask(ACTIVE), await ask(ACTIVE)]).toEqual([200, 200]);
  expect(state.asked).toEqual([ACTIVE]);
  state.now = 5_000;
  await ask(ACTIVE);
  certificates.markChanged();
  await ask(ACTIVE);
  expect(state.asked).toHaveLength(3);
  state.isAway = true;
  state.now = 20_000;
  expect([await ask(ACTIVE), await ask('other.example')]).toEqual([200, 503]);
});
