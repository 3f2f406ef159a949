import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { create } from '@bufbuild/protobuf';
import { toLimits } from '@tocsin/enums';
import { MonitorSchema } from '@tocsin/proto/monitor/v1/monitor';
import { createRuntime } from '@tocsin/runtime';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../src/app.ts';
import { connectServices, type Services } from '../src/clients/services.ts';
import type { GatewayConfig } from '../src/config.ts';
import { LiveVisitors } from '../src/pages/live-visitors.ts';
import { PageCache } from '../src/pages/page-cache.ts';
import { PageHosts } from '../src/pages/page-hosts.ts';
import { RecentAnswers } from '../src/pages/recent-answers.ts';
import { addOutagePages } from '../src/routes/outage-page-proxy.ts';
import { testConfig } from './config-fixture.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const PAGE = `<!doctype html>${'<p>Everything works.</p>'.repeat(500)}`;
const decompress = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync };

let baseUrl: string;
/** Headers that the fake page service adds to its responses. */
let pageHeaders: Record<string, string>;
let pageBody: string | Buffer;

beforeAll(async () => {
  const pages = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag: '"page-1"', ...pageHeaders });
    response.end(pageBody);
  });
  await new Promise<void>((listening) => pages.listen(0, '127.0.0.1', listening));
  stack.defer(() => void pages.close());

  const config = testConfig();
  const kept = new Map<string, { status: number; body: string }>();
  const answers = new RecentAnswers({ ask: async () => undefined, now: Date.now });
  const app = await createApp(config, createRuntime('gateway', { logLevel: 'error' }), {
    credentials: {
      async exchange() {
        const organization = { id: '01920000-0000-7000-8000-000000000000', accountNumber: 1, name: 'Acme' };
        const permissions = ['monitors:read_write'];
        return {
          tokens: {},
          limits: toLimits({}),
          organization,
          credential: { id: 'c', kind: 'api_key', name: 'Key', permissions },
        };
      },
      drop() {},
    },
    services: bigAndSmallMonitors(config),
    heartbeats: { send: () => Promise.reject(new Error('this test sends no pings')), isKnown: () => false },
    windows: {
      add: async () => 1,
      read: async () => 0,
      deleteMinutesBefore: async () => {},
      deleteDaysBefore: async () => {},
    },
    countUsage: async () => ({}),
    pages: {
      cache: new PageCache({
        fetch: async () => ({ kind: 'failed' }),
        now: Date.now,
        retryDelay: () => 0,
        maxBytes: 0,
        maxAgeMs: 0,
      }),
      hosts: new PageHosts({ installationHost: 'localhost', answers }),
      certificates: answers,
      visitors: stack.use(new LiveVisitors(0)),
    },
    responses: {
      async claim(key) {
        const response = kept.get(key.key);
        if (response) return { kind: 'answered', ...response };
        return { kind: 'mine', claimed: { ...key, idempotencyId: 'once' } };
      },
      async keep({ key }, status, body) {
        kept.set(key, { status, body });
      },
      async release() {},
      async deleteBefore() {},
    },
  });
  stack.use(await addOutagePages(app, `http://127.0.0.1:${(pages.address() as AddressInfo).port}`));
  baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  stack.defer(() => app.close());
  reset();
});

function reset(): void {
  pageHeaders = {};
  pageBody = PAGE;
}

function bigAndSmallMonitors(config: GatewayConfig): Services {
  const monitorOf = (id: string, size: number) =>
    create(MonitorSchema, { id, name: 'Shop', configJson: JSON.stringify({ url: 'x'.repeat(size) }) });
  const monitors = {
    getMonitor: async ({ id }: { id: string }) => ({ monitor: monitorOf(id, id === 'big' ? 5000 : 5) }),
    createMonitor: async () => ({ monitor: monitorOf('big', 5000) }),
  };
  // The cast is safe, because the test calls only these methods.
  return { ...connectServices(config), monitors: monitors as unknown as Services['monitors'] };
}

async function get(path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
  const response = await request(`${baseUrl}${path}`, { method, headers: { authorization: 'Bearer key', ...headers } });
  return {
    status: response.statusCode,
    headers: response.headers,
    bytes: Buffer.from(await response.body.arrayBuffer()),
  };
}

const paths = ['/api/v1/monitors/big', '/openapi.yaml', '/o/acme'];

test.each(paths.flatMap((path) => (['br', 'zstd', 'gzip'] as const).map((encoding) => [path, encoding] as const)))(
  'the response at %s is less than half as large with the encoding %s, and has the same content after decompression',
  async (path, encoding) => {
    const plain = await get(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const small = await get(path, { 'accept-encoding': encoding });
    expect(small.headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': plain.headers['content-type'],
      vary: 'accept-encoding',
    });
    expect(small.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(decompress[encoding](small.bytes).equals(plain.bytes)).toBe(true);
    expect(plain.headers.vary).toBe('accept-encoding');
  },
);

test('a body is not compressed if it is small or the client does not accept compression', async () => {
  const small = await get('/api/v1/monitors/small', { 'accept-encoding': 'br' });
  expect(small.headers['content-encoding']).toBeUndefined();
  expect(JSON.parse(small.bytes.toString())).toMatchObject({ data: { id: 'small' } });
  for (const header of ['identity', 'br;q=0', 'deflate']) {
    expect((await get('/api/v1/monitors/big', { 'accept-encoding': header })).headers).not.toHaveProperty(
      'content-encoding',
    );
  }
});

test('a long error response is compressed', async () => {
  const body = JSON.stringify({ alert_channel_ids: Array(50).fill(5) });
  const headers = { authorization: 'Bearer key', 'content-type': 'application/json', 'accept-encoding': 'gzip' };
  const response = await request(`${baseUrl}/api/v1/monitors`, { method: 'POST', headers, body });
  expect([response.statusCode, response.headers['content-encoding']]).toEqual([422, 'gzip']);
  const text = gunzipSync(Buffer.from(await response.body.arrayBuffer())).toString();
  expect(JSON.parse(text)).toHaveProperty('error.errors.name', ['is required']);
});

test('a response has the same weak ETag in every encoding, and a request with that ETag gets a 304', async () => {
  const path = '/api/v1/monitors/big';
  const { etag } = (await get(path)).headers;
  expect(etag).toMatch(/^W\/"[^"]+"$/);
  expect((await get(path, { 'accept-encoding': 'br' })).headers.etag).toBe(etag);
  const again = await get(path, { 'accept-encoding': 'br', 'if-none-match': String(etag) });
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
  expect(again.headers).toMatchObject({ etag, vary: 'accept-encoding' });
  expect(again.headers).not.toHaveProperty('content-encoding');
  expect((await get('/o/acme', { 'accept-encoding': 'br' })).headers.etag).toBe('W/"page-1"');
});

test('a HEAD response has the same headers as the GET response', async () => {
  const headers = { 'accept-encoding': 'br' };
  const whole = await get('/api/v1/monitors/big', headers);
  const head = await get('/api/v1/monitors/big', headers, 'HEAD');
  expect(head.bytes).toHaveLength(0);
  expect(head.headers).toMatchObject({ 'content-encoding': 'br', 'content-length': String(whole.bytes.length) });
  expect((await get('/o/acme', headers, 'HEAD')).headers).toMatchObject({ 'content-encoding': 'br' });
});

test('a compressed page is forwarded unchanged', async () => {
  pageHeaders = { 'content-encoding': 'gzip', vary: 'cookie' };
  pageBody = Buffer.from('not even gzip'.repeat(200));
  const { headers, bytes } = await get('/o/acme', { 'accept-encoding': 'br, gzip' });
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'cookie, accept-encoding' });
  expect(bytes.equals(pageBody)).toBe(true);
  reset();
});

test('an image is not compressed', async () => {
  pageHeaders = { 'content-type': 'image/png' };
  expect((await get('/o/acme', { 'accept-encoding': 'br' })).headers).not.toHaveProperty('content-encoding');
  reset();
});

test('a POST that is repeated with its idempotency key gets the stored response in the encoding that it accepts', async () => {
  const post = async (encoding: string) => {
    const response = await request(`${baseUrl}/api/v1/monitors`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer key',
        'content-type': 'application/json',
        'idempotency-key': 'one',
        'accept-encoding': encoding,
      },
      body: JSON.stringify({ name: 'Shop', check_type: 'http' }),
    });
    return { headers: response.headers, bytes: Buffer.from(await response.body.arrayBuffer()) };
  };
  const first = await post('br');
  const replayed = await post('gzip');
  expect(replayed.headers).toMatchObject({ 'idempotency-replayed': 'true', 'content-encoding': 'gzip' });
  expect(gunzipSync(replayed.bytes).equals(brotliDecompressSync(first.bytes))).toBe(true);
});
