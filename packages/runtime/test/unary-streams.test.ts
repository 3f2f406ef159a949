import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import { ServiceError } from '@tocsin/errors';
import {
  AdminService,
  CreateOrganizationRequestSchema,
  CreateOrganizationResponseSchema,
} from '@tocsin/proto/identity/v1/identity';
import { keptByYoungCollections } from '@tocsin/testing';
import { afterAll, expect, test, vi } from 'vitest';
import { createRpcClient, createTransport, MAX_REQUEST_BYTES, serializeEarly, withToken } from '../src/index.ts';
import { type SampleOptions, startSample } from './sample-server.ts';

type Handle = NonNullable<SampleOptions['createOrganization']>;

const handle = vi.fn<Handle>();
const echo: Handle = async ({ name }) => ({ organization: { name } });
const sample = await startSample({ createOrganization: (...call) => handle(...call) });
const session: ClientHttp2Session = connect(sample.url);
afterAll(async () => {
  session.close();
  await sample[Symbol.asyncDispose]();
});
const token = await sample.identity.serviceToken('admin');

function request(name: string): Uint8Array {
  return toBinary(CreateOrganizationRequestSchema, create(CreateOrganizationRequestSchema, { name }));
}

/** Sends a unary call, with `headers` instead of the usual ones. */
function open(body: Uint8Array, headers: OutgoingHttpHeaders = {}) {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/${AdminService.typeName}/CreateOrganization`,
    'content-type': 'application/proto',
    'content-length': body.length,
    authorization: `Bearer ${token}`,
    ...headers,
  });
  stream.end(body);
  return stream;
}

async function send(body: Uint8Array, headers: OutgoingHttpHeaders = {}) {
  const stream = open(body, headers);
  const response = new Promise<IncomingHttpHeaders & { ':status'?: number }>((resolve) =>
    stream.on('response', resolve),
  );
  const chunks: Buffer[] = await stream.toArray();
  return { headers: await response, body: Buffer.concat(chunks) };
}

test.each([
  ['a short name', 'acme'],
  ['an empty body', ''],
  ['a body of several frames', 'x'.repeat(200_000)],
])('a call with %s gets its response', async (_, name) => {
  handle.mockImplementation(echo);
  const { headers, body } = await send(request(name));
  expect(headers).toMatchObject({
    ':status': 200,
    'content-type': 'application/proto',
    'content-length': `${body.length}`,
  });
  expect(fromBinary(CreateOrganizationResponseSchema, body).organization?.name).toBe(name);
});

test('a call without a length, and one with JSON, get the same response', async () => {
  handle.mockImplementation(echo);
  const streamed = await send(request('acme'), { 'content-length': undefined });
  expect(fromBinary(CreateOrganizationResponseSchema, streamed.body).organization?.name).toBe('acme');
  const json = Buffer.from('{"name":"acme"}');
  const answer = await send(json, { 'content-type': 'application/json', 'content-length': json.length });
  expect(JSON.parse(String(answer.body))).toMatchObject({ organization: { name: 'acme' } });
});

test('a response that the implementation has serialized is sent as it was then', async () => {
  handle.mockImplementation(async ({ name }) => {
    const response = create(CreateOrganizationResponseSchema, { organization: { name } });
    serializeEarly(CreateOrganizationResponseSchema, response);
    if (response.organization) response.organization.name = 'changed later';
    return response;
  });
  const { body } = await send(request('acme'));
  expect(fromBinary(CreateOrganizationResponseSchema, body).organization?.name).toBe('acme');
});

test('headers and trailers that the implementation sets are in the response, and in that of an error', async () => {
  handle.mockImplementation(async (_, context) => {
    context.responseHeader.set('x-kept', 'yes');
    context.responseTrailer.set('x-last', 'yes');
    return {};
  });
  expect((await send(request('acme'))).headers).toMatchObject({ 'x-kept': 'yes', 'trailer-x-last': 'yes' });
  handle.mockImplementation(async (_, context) => {
    context.responseHeader.set('x-kept', 'yes');
    throw new ServiceError('rate_limited', 'wait', { retryAfterSeconds: 7 });
  });
  const { headers, body } = await send(request('acme'));
  expect(headers).toMatchObject({ ':status': 429, 'x-kept': 'yes', 'content-type': 'application/json' });
  expect(JSON.parse(String(body))).toMatchObject({ code: 'resource_exhausted', message: 'wait' });
});

test('a call that is refused for its token ends before its body has arrived', async () => {
  handle.mockClear();
  const stream = session.request({
    ':method': 'POST',
    ':path': `/${AdminService.typeName}/CreateOrganization`,
    'content-type': 'application/proto',
    'content-length': 1_000,
  });
  const status = await new Promise((resolve) => stream.on('response', (headers) => resolve(headers[':status'])));
  expect(status).toBe(401);
  stream.resume();
  stream.close(8);
  expect(handle).not.toHaveBeenCalled();
});

test('a body that is too large, and one that is not a message, are refused', async () => {
  handle.mockClear();
  const large = await send(new Uint8Array(MAX_REQUEST_BYTES + 1));
  expect(JSON.parse(String(large.body))).toMatchObject({ code: 'resource_exhausted' });
  const broken = await send(Uint8Array.of(0xff, 0xff));
  expect(JSON.parse(String(broken.body))).toMatchObject({ code: 'internal' });
  expect(handle).not.toHaveBeenCalled();
});

test.each([
  ['the client cancels the call', {}, true],
  ['the deadline passes', { 'connect-timeout-ms': '50' }, false],
])('the signal of a call aborts when %s', async (_, headers, cancels) => {
  const called = Promise.withResolvers<HandlerContext>();
  handle.mockImplementation((_request, context) => {
    called.resolve(context);
    return new Promise((resolve) => context.signal.addEventListener('abort', () => resolve({})));
  });
  const stream = open(request('acme'), headers);
  const { signal } = await called.promise;
  if (cancels) stream.close(8);
  await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 10_000 });
  stream.close();
});

test('a collection of the young generation frees calls that have ended', async () => {
  await using plain = await startSample({
    createOrganization: async ({ name }) => ({ organization: { name: name.slice(0, 10) } }),
    identity: sample.identity,
  });
  const client = createRpcClient(AdminService, createTransport({ url: plain.url, service: 'sample' }));
  const bytes = 20_000;
  const run = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      await client.createOrganization({ name: String(i % 10).repeat(bytes) }, withToken(token));
    }
  };
  await run(20);
  expect(await keptByYoungCollections(() => run(200))).toBeLessThan(100 * bytes);
});
