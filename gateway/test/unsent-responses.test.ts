import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { asOfNotice, html } from '@tocsin/html';
import { eventually } from '@tocsin/testing';
import fastify, { type FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { afterAll, expect, test } from 'vitest';
import { addPages } from '../src/pages/add-pages.ts';
import { LiveVisitors } from '../src/pages/live-visitors.ts';
import { PageCache } from '../src/pages/page-cache.ts';
import { PageHosts } from '../src/pages/page-hosts.ts';
import { RecentAnswers } from '../src/pages/recent-answers.ts';
import { AddressWindows } from '../src/plugins/address-windows.ts';
import { addCompression } from '../src/plugins/compression.ts';
import { countUnsentResponses, type UnsentLimits, UnsentResponses } from '../src/plugins/unsent-responses.ts';

const MIB = 1024 * 1024;
/** More than the buffers of the operating system take over. */
const LARGE = 'x'.repeat(16 * MIB);

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

async function startServer(limits: UnsentLimits) {
  const metrics = new Registry();
  const app = fastify();
  const unsent = new UnsentResponses(metrics, limits);
  countUnsentResponses(app, unsent);
  addCompression(app);
  app.get('/large', async (_, reply) => reply.type('text/plain').send(LARGE));
  addLargePage(app, unsent);
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  stack.defer(() => app.close());

  /** Requests the large response from a source address, and reads nothing. */
  async function requestUnread(localAddress: string, count = 1, headers = '', path = '/large'): Promise<Socket> {
    const socket = connect({ host: url.hostname, port: Number(url.port), localAddress });
    stack.defer(() => void socket.destroy());
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${url.host}\r\n${headers}\r\n`.repeat(count));
    return socket;
  }

  async function unsentMib(): Promise<number> {
    const [value] = (await metrics.getSingleMetric('tocsin_http_unsent_bytes')?.get())?.values ?? [];
    return (value?.value ?? Number.NaN) / MIB;
  }

  return { url, requestUnread, unsentMib };
}

/** Adds status pages, each of which is too large for the cache and is therefore sent by its route. */
function addLargePage(app: FastifyInstance, unsent: UnsentResponses): void {
  const page = {
    pageId: 'page',
    organizationId: 'acme',
    checkedAt: undefined,
    version: 'v1',
    headers: { 'content-type': 'text/html' },
    body: Buffer.from(String(html`<main>${asOfNotice((time) => html`As of ${time}.`)}${LARGE}</main>`)),
  };
  const cache = new PageCache({
    fetch: async () => ({ kind: 'page', page, validMs: 60_000 }),
    now: Date.now,
    retryDelay: () => 0,
    maxBytes: MIB,
    maxAgeMs: 60_000,
  });
  const answers = new RecentAnswers({ ask: async () => false, now: Date.now });
  const hosts = new PageHosts({ installationHost: '127.0.0.1', answers });
  const visitors = stack.use(new LiveVisitors(1));
  const misses = new AddressWindows(100);
  addPages(app, { cache, hosts, visitors }, { statuspageUrl: 'http://127.0.0.1:1', misses, unsent });
}

/** Reads a socket until the server closes the connection. Returns the number of bytes. */
async function readToEnd(socket: Socket): Promise<number> {
  socket.resume();
  await eventually(() => expect(socket.closed).toBe(true));
  return socket.bytesRead;
}

test('responses that clients do not read are counted until the clients receive them', async () => {
  const { url, requestUnread, unsentMib } = await startServer({ bytes: 100 * MIB, stalledMs: 60_000 });
  const socket = await requestUnread('127.0.0.1', 2);
  await eventually(async () => expect(await unsentMib()).toBe(32));
  socket.resume();
  await eventually(async () => expect(await unsentMib()).toBe(0));
  expect(socket.destroyed).toBe(false);
  const response = await fetch(`${url.origin}/large`);
  expect((await response.text()).length).toBe(LARGE.length);
});

test('status pages that are not current in memory are counted, too', async () => {
  const { requestUnread, unsentMib } = await startServer({ bytes: 100 * MIB, stalledMs: 60_000 });
  const socket = await requestUnread('127.0.0.1', 1, 'accept-encoding: identity\r\n', '/s/acme');
  await eventually(async () => expect(await unsentMib()).toBeGreaterThan(15));
  socket.resume();
  await eventually(async () => expect(await unsentMib()).toBe(0));
});

test('compressed responses are counted with their compressed size', async () => {
  const { requestUnread, unsentMib } = await startServer({ bytes: 100 * MIB, stalledMs: 60_000 });
  const socket = await requestUnread('127.0.0.1', 1, 'accept-encoding: gzip\r\n');
  await once(socket.resume(), 'data');
  expect(await unsentMib()).toBeLessThan(1);
});

test('over the limit, the oldest connection of the address with most unsent bytes is closed', async () => {
  const { url, requestUnread, unsentMib } = await startServer({ bytes: 60 * MIB, stalledMs: 60_000 });
  const slow = await requestUnread('127.0.0.2');
  const hostile = [await requestUnread('127.0.0.3'), await requestUnread('127.0.0.3')];
  await eventually(async () => expect(await unsentMib()).toBe(48));
  const reader = await fetch(`${url.origin}/large`, { headers: { 'accept-encoding': 'identity' } });
  expect((await reader.text()).length).toBe(LARGE.length);
  await eventually(async () => expect(await unsentMib()).toBe(32));
  expect(await readToEnd(hostile[0] as Socket)).toBeLessThan(LARGE.length);
  slow.resume();
  await eventually(() => expect(slow.bytesRead).toBeGreaterThan(LARGE.length));
});

test('a connection whose client receives nothing for the time limit is closed', async () => {
  const { requestUnread, unsentMib } = await startServer({ bytes: 100 * MIB, stalledMs: 1_500 });
  const stalled = await requestUnread('127.0.0.1');
  const steady = (await requestUnread('127.0.0.1')).resume();
  steady.on('data', () => {
    steady.pause();
    setTimeout(() => steady.resume(), 10);
  });
  await eventually(async () => expect(await unsentMib()).toBe(0));
  expect(await readToEnd(stalled)).toBeLessThan(LARGE.length);
  await eventually(() => expect(steady.bytesRead).toBeGreaterThan(LARGE.length));
});
