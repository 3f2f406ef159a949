import { createServer } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { asOfNotice, html, PAGE_HEADERS, PAGE_HOST_PATH } from '@tocsin/html';
import { PageUpdatedSchema, PublicPageChangedSchema } from '@tocsin/proto/statuspage/v1/events';
import { connectNats, createRuntime, listen } from '@tocsin/runtime';
import { eventually, testNats } from '@tocsin/testing';
import fastify from 'fastify';
import { request } from 'undici';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { addPages } from '../src/pages/add-pages.ts';
import { sendCurrentPages } from '../src/pages/send-directly.ts';
import { startPages } from '../src/pages/start-pages.ts';
import { visitorFinder } from '../src/pages/visitor.ts';
import { AddressWindows } from '../src/plugins/address-windows.ts';
import { addCompression } from '../src/plugins/compression.ts';
import { addErrorHandlers } from '../src/plugins/errors.ts';
import { addObservation } from '../src/plugins/observe.ts';
import { addPageLimit } from '../src/plugins/page-limit.ts';
import { UnsentResponses } from '../src/plugins/unsent-responses.ts';
import { closeUnusedConnections } from '../src/plugins/unused-connections.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

/**
 * State of the fake statuspage service: the texts of its pages by host and path, the hosts of pages, and the number of
 * requests to it.
 */
const service = {
  isAway: false,
  requests: 0,
  texts: new Map<string, string>(),
  pageHosts: new Set(['status.example.com']),
  checkedAt: '',
};
const statuspage = createServer((incoming, response) => {
  service.requests += 1;
  if (service.isAway) return void response.destroy();
  if (incoming.url?.startsWith(PAGE_HOST_PATH)) {
    const host = new URL(incoming.url, 'http://x').searchParams.get('host') ?? '';
    const answer = service.pageHosts.has(host) ? 'yes' : 'no';
    return void response.writeHead(204, { [PAGE_HEADERS.isPageHost]: answer }).end();
  }
  const address = `${incoming.headers['x-forwarded-host']}${incoming.url}`;
  const text = service.texts.get(address);
  if (text === undefined) return void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Lost</h1>');
  const etag = `"${Buffer.from(text).toString('hex')}"`;
  const headers = {
    etag,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'self'",
    'cache-control': 'public, max-age=0, s-maxage=5',
    [PAGE_HEADERS.pageId]: address,
    [PAGE_HEADERS.organizationId]: 'acme',
    [PAGE_HEADERS.validMs]: '60000',
    ...(service.checkedAt && { [PAGE_HEADERS.checkedAt]: service.checkedAt }),
  };
  if (incoming.headers['if-none-match'] === etag) return void response.writeHead(304, headers).end();
  const page = html`<main>${asOfNotice((time) => html`As of ${time}.`)}<p>${text}</p>${' '.repeat(2_000)}</main>`;
  response.writeHead(200, headers).end(String(page));
});
const statuspageUrl = `http://127.0.0.1:${await listen(statuspage, '127.0.0.1', 0)}`;
stack.defer(() => {
  statuspage.closeAllConnections();
  statuspage.close();
});

const nats = stack.use(await testNats());
const runtime = createRuntime('gateway', { logLevel: 'silent' });
const connection = stack.use(await connectNats(nats.url, runtime)).connection;
const LIVE_VISITORS = 60;
const config = {
  baseUrl: 'http://localhost',
  statuspageUrl,
  pageCacheBytes: 16_000_000,
  pageMaxAgeMs: 60_000,
  liveVisitors: LIVE_VISITORS,
};
const pages = stack.use(startPages(config, runtime, connection));
const { cache, hosts } = pages;

const PAGES_PER_MINUTE = 1_000;
const windows = new AddressWindows(PAGES_PER_MINUTE);
const app = stack.use(fastify({ trustProxy: '127.0.0.1' }));
closeUnusedConnections(app);
addObservation(app, runtime);
addErrorHandlers(app);
addPageLimit(app, windows);
addCompression(app);
const MISSES_PER_MINUTE = 200;
const unsent = new UnsentResponses(runtime.metrics);
addPages(app, pages, { statuspageUrl, misses: new AddressWindows(MISSES_PER_MINUTE), unsent });
const visitorOf = visitorFinder(['127.0.0.1']);
sendCurrentPages(app, { cache, hosts, windows, unsent, visitorOf, common: [], metrics: runtime.metrics });
const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });

beforeEach(() => {
  service.isAway = false;
  service.requests = 0;
});

interface View {
  readonly host?: string;
  readonly headers?: Record<string, string>;
  readonly method?: 'GET' | 'HEAD';
}

async function view(path: string, { host = 'localhost', headers = {}, method = 'GET' }: View = {}) {
  const response = await request(`${baseUrl}${path}`, { method, headers: { 'x-forwarded-host': host, ...headers } });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  return { status: response.statusCode, headers: response.headers, bytes, text: bytes.toString() };
}

function publish<Schema extends DescMessage>(schema: Schema, message: MessageInitShape<Schema>): void {
  connection.publish(`event.${schema.typeName}`, toBinary(schema, create(schema, message)));
}

const DECOMPRESS = { br: brotliDecompressSync, gzip: gunzipSync };

test("a page's machine-readable formats are served on the page's own host", async () => {
  for (const path of ['/history.rss', '/api/v2/summary.json', '/components/1/badge.svg', '/robots.txt', '/embed']) {
    service.texts.set(`status.example.com${path}`, `content of ${path}`);
    const { status, text } = await view(path, { host: 'status.example.com' });
    expect([status, text]).toEqual([200, expect.stringContaining(`content of ${path}`)]);
  }
});

test('a cached response has the headers of the uncached response, and no internal headers', async () => {
  service.texts.set('localhost/s/acme', 'green');
  const first = await view('/s/acme');
  const later = await view('/s/acme?utm=1');
  expect([service.requests, later.status, later.text]).toEqual([1, 200, first.text]);
  const { date: _, 'x-request-id': id, ...headers } = first.headers;
  expect(later.headers).toEqual({ ...headers, date: expect.any(String), 'x-request-id': expect.any(String) });
  expect(later.headers['x-request-id']).not.toBe(id);
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=0, s-maxage=5',
    'content-security-policy': "default-src 'self'",
    'content-type': 'text/html; charset=utf-8',
    'last-modified': expect.stringMatching(/GMT$/),
    etag: expect.stringMatching(/^W\/"\w+"$/),
    vary: 'accept-encoding',
  });
  expect(Object.keys(headers).filter((name) => name.startsWith('x-tocsin'))).toEqual([]);
});

test.each(['br', 'gzip'] as const)('a page is sent with the encoding %s', async (encoding) => {
  service.texts.set('localhost/s/acme', 'green');
  const plain = await view('/s/acme');
  const { headers, bytes } = await view('/s/acme', { headers: { 'accept-encoding': encoding } });
  expect(headers).toMatchObject({ 'content-encoding': encoding, 'content-length': String(bytes.length) });
  expect(DECOMPRESS[encoding](bytes).equals(plain.bytes)).toBe(true);
  expect(headers.etag).toBe(plain.headers.etag);
  expect(bytes.length).toBeLessThan(plain.bytes.length);
  const head = await view('/s/acme', { headers: { 'accept-encoding': encoding }, method: 'HEAD' });
  expect([head.status, head.bytes.length, head.headers['content-length']]).toEqual([200, 0, String(bytes.length)]);
});

test('a visitor who has the current page gets a 304', async () => {
  service.texts.set('localhost/s/acme', 'green');
  const { headers } = await view('/s/acme');
  const tag = String(headers.etag);
  const again = await view('/s/acme', { headers: { 'if-none-match': `"other", ${tag}` } });
  expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, tag]);
  expect((await view('/s/acme', { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
});

test('after a published change, the next visitors get the new version', async () => {
  service.texts.set('localhost/s/changing', 'green');
  expect((await view('/s/changing')).text).toContain('green');
  service.texts.set('localhost/s/changing', 'red');
  publish(PublicPageChangedSchema, { statusPageId: 'localhost/s/changing' });
  await eventually(async () => expect((await view('/s/changing')).text).toContain('red'));
  service.texts.delete('localhost/s/changing');
  publish(PageUpdatedSchema, { statusPageId: 'localhost/s/changing' });
  await eventually(async () => expect((await view('/s/changing')).status).toBe(404));
  service.texts.set('localhost/s/changing', 'blue');
  publish(PageUpdatedSchema, { statusPageId: 'localhost/s/changing' });
  await eventually(async () => expect((await view('/s/changing')).text).toContain('blue'));
});

test('pages of different hosts are cached separately, even if their paths are equal', async () => {
  service.texts.set('one.example.com/', 'one').set('two.example.com/', 'two');
  for (const _ of ['first', 'again']) {
    expect((await view('/', { host: 'one.example.com' })).text).toContain('<p>one</p>');
    expect((await view('/', { host: 'Two.example.com:443' })).text).toContain('<p>two</p>');
    expect((await view('/', { host: 'three.example.com' })).status).toBe(404);
  }
  expect(service.requests).toBe(3);
});

test('while the service is down, a stored page is sent with the time at which it was current; it is current again soon after the service is back', async () => {
  service.texts.set('localhost/s/lasting', 'green');
  const { headers } = await view('/s/lasting');
  service.isAway = true;
  publish(PublicPageChangedSchema, { statusPageId: 'localhost/s/lasting' });
  const outdated = await eventually(async () => {
    const page = await view('/s/lasting');
    expect(page.text).toMatch(/role="status">As of <time datetime="[^"]+">\d{4}-\d\d-\d\d \d\d:\d\d UTC</);
    return page;
  });
  expect([outdated.status, outdated.text]).toEqual([200, expect.stringContaining('green')]);
  expect(outdated.headers.etag).not.toBe(headers.etag);
  expect(await view('/s/unseen')).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });

  service.isAway = false;
  const back = Date.now();
  await eventually(async () => expect((await view('/s/lasting')).headers.etag).toBe(headers.etag));
  expect(Date.now() - back).toBeLessThan(5_000);
});

test('the page limit per address also applies to pages in memory', async () => {
  service.texts.set('localhost/s/acme', 'green');
  const from = (address: string) => view('/s/acme', { headers: { 'x-forwarded-for': address } });
  expect((await from('192.0.2.1')).status).toBe(200);
  for (let count = 0; count < PAGES_PER_MINUTE; count += 1) windows.record('192.0.2.1', Date.now());
  expect((await from('192.0.2.1')).status).toBe(429);
  expect((await from('192.0.2.2')).status).toBe(200);
});

test('an address can view a limited number of pages that are not in memory, with any host and as event streams', async () => {
  service.texts.set('localhost/s/acme', 'green');
  const headers = { 'x-forwarded-for': '192.0.2.7' };
  const statuses: number[] = [];
  for (let count = 0; count < MISSES_PER_MINUTE; count += 2) {
    statuses.push((await view('/s/acme', { headers, host: `host-${count}` })).status);
    statuses.push((await view(`/s/unknown-${count}/events`, { headers })).status);
  }
  expect(new Set(statuses)).toEqual(new Set([200, 404]));
  const { requests } = service;
  expect((await view('/s/acme', { headers, host: 'host-new' })).status).toBe(429);
  expect((await view('/s/unknown/events', { headers })).status).toBe(429);
  expect(service.requests).toBe(requests);
  await view('/s/acme');
  expect((await view('/s/acme', { headers })).status).toBe(200);
  expect((await view('/s/acme', { headers, host: 'host-0' })).status).toBe(200);
});

test('invented hosts get the stored copy of a page below /s, and add no copies', async () => {
  service.texts.set('localhost/s/acme', 'green');
  await view('/s/acme');
  const { pages: before } = cache.size;
  service.requests = 0;
  for (const host of ['a1.example', 'a2.example', 'A2.Example:8080', '127.0.0.1:8080']) {
    expect((await view('/s/acme', { host })).text).toContain('<p>green</p>');
    expect((await view('/s/acme', { host })).status).toBe(200);
  }
  expect(cache.size.pages).toBe(before);
  // One question for each of the two invented hosts.
  expect(service.requests).toBe(2);
});

test("a page's own host does not show other pages, also after the host was added", async () => {
  service.texts.set('localhost/s/acme', 'green');
  expect((await view('/s/acme', { host: 'status.example.com' })).status).toBe(404);
  expect((await view('/s/acme', { host: 'status.later.example' })).status).toBe(200);
  service.pageHosts.add('status.later.example');
  publish(PageUpdatedSchema, { statusPageId: 'page' });
  await eventually(async () => expect((await view('/s/acme', { host: 'status.later.example' })).status).toBe(404));
});

test('views of pages in memory are counted', async () => {
  service.texts.set('localhost/s/acme', 'green');
  const count = async () => {
    const text = await runtime.metrics.getSingleMetricAsString('tocsin_current_page_views_total');
    return Number(/status="200"[^}]*} (\d+)/.exec(text)?.[1]);
  };
  await view('/s/acme');
  const before = await count();
  await view('/s/acme');
  expect(await count()).toBe(before + 1);
});

/** Connects to the event stream of a page, and collects the events. */
async function watch(path: string, address: string, host = 'localhost') {
  const headers = { accept: 'text/event-stream', 'x-forwarded-host': host, 'x-forwarded-for': address };
  const response = await request(`${baseUrl}${path}`, { headers: { ...headers, 'accept-encoding': 'br, gzip' } });
  const state = { status: response.statusCode, headers: response.headers, text: '', isOver: false };
  response.body.on('data', (chunk: Buffer) => {
    state.text += chunk.toString();
  });
  response.body.on('close', () => {
    state.isOver = true;
  });
  response.body.on('error', () => undefined);
  const events = () => [...state.text.matchAll(/^event: page\ndata: (.*)$/gm)].map(([, etag]) => etag);
  return { state, events, leave: () => response.body.destroy() };
}

test('a visitor is notified of each version of the page, without compression, even while the page cannot be refreshed', async () => {
  service.texts.set('localhost/s/live', 'green');
  const etag = async () => (await view('/s/live')).headers.etag;
  const { state, events, leave } = await watch('/s/live/events', '192.0.2.10');
  expect(state).toMatchObject({
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
  });
  expect(state.headers).not.toHaveProperty('content-encoding');
  const green = await etag();
  await eventually(() => expect(events()).toEqual([green]));
  expect(state.text).toMatch(/^retry: \d{4}\n/);

  service.texts.set('localhost/s/live', 'red');
  publish(PublicPageChangedSchema, { statusPageId: 'localhost/s/live' });
  await eventually(() => expect(events()).toHaveLength(2));
  const red = await etag();
  service.isAway = true;
  publish(PublicPageChangedSchema, { statusPageId: 'localhost/s/live' });
  await eventually(() => expect(events()).toHaveLength(3));
  service.isAway = false;
  await eventually(() => expect(events()).toHaveLength(4));
  expect(events()).toEqual([green, red, expect.stringContaining('-'), red]);
  leave();
  await eventually(() => expect(pages.visitors.count).toBe(0));
});

test("a page's event stream is served at /events on its own host, and a page that does not exist has none", async () => {
  service.texts.set('live.example.com/', 'green');
  const own = await watch('/events', '192.0.2.11', 'live.example.com');
  await eventually(() => expect(own.events()).toHaveLength(1));
  own.leave();
  expect((await watch('/events', '192.0.2.11', 'nothing.example.com')).state.status).toBe(404);
  expect((await watch('/s/never-was/events', '192.0.2.11')).state.status).toBe(404);
});

test.each(['history', 'history/2026-03', 'incidents/1', 'components/1'])(
  'the page %s below a status page also has an event stream',
  async (below) => {
    for (const [host, page] of [
      ['localhost', `/s/live/${below}`],
      ['live.example.com', `/${below}`],
    ] as const) {
      service.texts.set(`${host}${page}`, 'green');
      const stream = await watch(`${page}/events`, '192.0.2.14', host);
      expect(stream.state.status).toBe(200);
      await eventually(() => expect(stream.events()).toHaveLength(1));
      service.texts.set(`${host}${page}`, 'red');
      publish(PublicPageChangedSchema, { statusPageId: `${host}${page}` });
      await eventually(() => expect(stream.events()).toHaveLength(2));
      stream.leave();
    }
  },
);

test('visitors beyond the limits get a 204, so that their browsers stop connecting', async () => {
  service.texts.set('localhost/s/live', 'green');
  const all = [];
  for (let count = 0; count < 50; count += 1) all.push(await watch('/s/live/events', '192.0.2.12'));
  expect((await watch('/s/live/events', '192.0.2.12')).state.status).toBe(204);
  for (let count = 50; count < LIVE_VISITORS; count += 1) all.push(await watch('/s/live/events', '192.0.2.13'));
  expect((await watch('/s/live/events', '192.0.2.14')).state.status).toBe(204);
  expect(all.map(({ state }) => state.status)).toEqual(Array(LIVE_VISITORS).fill(200));
  all[0]?.leave();
  await eventually(() => expect(pages.visitors.count).toBe(LIVE_VISITORS - 1));
  const another = await watch('/s/live/events', '192.0.2.14');
  expect(another.state.status).toBe(200);
  for (const { leave } of [...all, another]) leave();
  await eventually(() => expect(pages.visitors.count).toBe(0));
});

test('a visitor gets a heartbeat every 15 seconds, with the time of the last check if the page shows it', async () => {
  service.texts.set('localhost/s/live', 'green');
  const plain = await watch('/s/live/events', '192.0.2.15');
  service.checkedAt = '2026-01-01T00:00:00.000Z';
  service.texts.set('localhost/s/checked', 'green');
  const checked = await watch('/s/checked/events', '192.0.2.15');
  expect((await view('/s/checked')).headers).not.toHaveProperty(PAGE_HEADERS.checkedAt);
  service.checkedAt = '';
  const heartbeats = ({ state }: typeof plain) =>
    [...state.text.matchAll(/^event: alive\ndata: (.*)$/gm)].map(([, time]) => time);
  await eventually(() => expect(heartbeats(plain)).toEqual(['ok', 'ok']), { timeoutMs: 40_000 });
  expect(heartbeats(checked)).toContain('2026-01-01T00:00:00.000Z');
  for (const { leave } of [plain, checked]) leave();
});

test('the server closes even if visitors are connected', async () => {
  service.texts.set('localhost/s/live', 'green');
  const { state } = await watch('/s/live/events', '192.0.2.16');
  await app.close();
  await eventually(() => expect(state.isOver).toBe(true));
});
