import { request as requestHttp1 } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_ANONYMOUS_REQUEST_BYTES, MAX_REQUEST_BYTES } from '../src/index.ts';
import { type Sample, startSample } from './sample-server.ts';

const CREATE = '/tocsin.identity.v1.AdminService/CreateOrganization';
const KEYS = '/tocsin.identity.v1.IdentityService/ListSigningKeys';

let sample: Sample;
let token: string;
beforeAll(async () => {
  sample = await startSample();
  token = await sample.identity.serviceToken('admin');
});
afterAll(() => sample[Symbol.asyncDispose]());

/** Returns a JSON request body of the given size in bytes. */
function named(bytes: number): Buffer {
  const shell = JSON.stringify({ name: '' }).length;
  return Buffer.from(JSON.stringify({ name: 'a'.repeat(bytes - shell) }));
}

async function post(path: string, body: Buffer, headers: Record<string, string> = {}) {
  const response = await fetch(`${sample.url}${path}`, {
    method: 'POST',
    body: Uint8Array.from(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, code: ((await response.json()) as { code?: string }).code };
}

const bomb = gzipSync(Buffer.alloc(200_000_000));

const authorized = () => ({ authorization: `Bearer ${token}` });

test('a body of the maximum size is accepted, and a body with one byte more is rejected', async () => {
  expect(await post(CREATE, named(MAX_REQUEST_BYTES), authorized())).toMatchObject({ status: 200 });
  expect(await post(CREATE, named(MAX_REQUEST_BYTES + 1), authorized())).toMatchObject({ code: 'resource_exhausted' });
});

test('the limit applies to the decompressed size of a body', async () => {
  const headers = { ...authorized(), 'content-encoding': 'gzip' };
  expect(await post(CREATE, gzipSync(named(MAX_REQUEST_BYTES)), headers)).toMatchObject({ status: 200 });
  const large = gzipSync(named(10 * MAX_REQUEST_BYTES));
  expect(large.length).toBeLessThan(MAX_REQUEST_BYTES);
  expect(await post(CREATE, large, headers)).toMatchObject({ code: 'resource_exhausted' });
});

test('methods that need no token have a lower limit for bodies', async () => {
  const ignored = (bytes: number) => Buffer.from(`{}${' '.repeat(bytes - 2)}`);
  expect(await post(KEYS, ignored(MAX_ANONYMOUS_REQUEST_BYTES))).toMatchObject({ status: 200 });
  expect(await post(KEYS, ignored(MAX_ANONYMOUS_REQUEST_BYTES + 1))).toMatchObject({ code: 'resource_exhausted' });
});

test.each(['HTTP/1.1', 'HTTP/2'])(
  'over %s, a request without a token is rejected before its body has arrived',
  async (version) => {
    const headers = { 'content-type': 'application/json', 'content-length': '100000000' };
    expect(await (version === 'HTTP/2' ? statusOverHttp2 : statusOverHttp1)(headers)).toBe(401);
  },
);

test.each(['HTTP/1.1', 'HTTP/2'])(
  'over %s, a compression bomb without a token is not decompressed',
  async (version) => {
    const before = process.memoryUsage().rss;
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const started = performance.now();
    expect(await (version === 'HTTP/2' ? statusOverHttp2 : statusOverHttp1)(headers, bomb)).toBe(401);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  },
);

/**
 * Sends headers and, if given, a body. Without a body, the request remains incomplete. Returns the status of the
 * response.
 */
function statusOverHttp1(headers: Record<string, string>, body?: Buffer): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const request = requestHttp1(`${sample.url}${CREATE}`, { method: 'POST', headers }, (response) => {
    resolve(response.statusCode);
    request.destroy();
  });
  request.on('error', reject);
  if (body) request.end(body);
  else request.flushHeaders();
  return promise;
}

async function statusOverHttp2(headers: Record<string, string>, body?: Buffer): Promise<number | undefined> {
  const session = connectHttp2(sample.url);
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const stream = session.request({ ':method': 'POST', ':path': CREATE, ...headers });
  stream.on('response', (response) => resolve(response[':status']));
  stream.on('error', reject);
  if (body) stream.end(body);
  const status = await promise;
  session.destroy();
  return status;
}
