import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import { AdminService, CreateOrganizationRequestSchema } from '@tocsin/proto/identity/v1/identity';
import { keptByYoungCollections } from '@tocsin/testing';
import { expect, test, vi } from 'vitest';
import { encodeFrame, FrameReader } from '../src/call-frames.ts';
import { createRpcClient, createTransport, listen, withToken } from '../src/index.ts';
import { type AnswerHead, SHARED_STREAM_PATH, SHARED_STREAM_TYPE } from '../src/shared-stream-server.ts';
import { type Sample, type SampleOptions, startSample } from './sample-server.ts';

const METHOD = `/${AdminService.typeName}/CreateOrganization`;

/** Calls that are more than enough to open a shared stream. */
const MANY = 30;

const echo: NonNullable<SampleOptions['createOrganization']> = async ({ name }) => ({ organization: { name } });

const clientOf = ({ url }: Pick<Sample, 'url'>, timeoutMs = 10_000) =>
  createRpcClient(AdminService, createTransport({ url, service: 'sample', timeoutMs }));
const asAdmin = async ({ identity }: Sample) => withToken(await identity.serviceToken('admin'));
const encoded = (name: string) =>
  toBinary(CreateOrganizationRequestSchema, create(CreateOrganizationRequestSchema, { name }));

interface Relay extends AsyncDisposable {
  readonly url: string;
  /** Paths of the streams, in their order. */
  readonly paths: string[];
  readonly sessions: Set<object>;
  /** Ends all connections, as a network does that breaks. */
  cut(): void;
}

/**
 * Starts a server that records each stream and passes it on to `target`. Shared streams are served by `serveShared` if
 * it is given.
 */
async function startRelay(target: Sample, serveShared?: (stream: ServerHttp2Stream) => void): Promise<Relay> {
  const paths: string[] = [];
  const upstream = connect(target.url);
  upstream.on('error', () => undefined);
  const sessions = new Set<{ destroy(): void }>();
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => undefined);
    const path = String(headers[':path']);
    paths.push(path);
    if (serveShared && path === SHARED_STREAM_PATH) return serveShared(stream);
    const { ':path': _, ':method': __, ':scheme': ___, ':authority': ____, ...rest } = headers;
    const further = upstream.request({ ...rest, ':method': 'POST', ':path': path });
    further.on('error', () => undefined);
    further.on('response', ({ ':status': status, ...received }) => stream.respond({ ...received, ':status': status }));
    stream.pipe(further).pipe(stream);
    stream.on('close', () => further.close());
  });
  const port = await listen(server, '127.0.0.1', 0);
  const cut = () => {
    for (const session of sessions) session.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    paths,
    sessions,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      upstream.destroy();
      server.close();
    },
  };
}

/** Opens a shared stream to a server, without our client. */
async function open(stack: AsyncDisposableStack, { url }: Sample) {
  const session: ClientHttp2Session = connect(url);
  session.on('error', () => undefined);
  stack.defer(() => session.destroy());
  const stream: ClientHttp2Stream = session.request({
    ':method': 'POST',
    ':path': SHARED_STREAM_PATH,
    'content-type': SHARED_STREAM_TYPE,
  });
  const answers: { head: AnswerHead; body: Buffer }[] = [];
  const reader = new FrameReader(1e9, (head, body) => answers.push({ head: head as AnswerHead, body }));
  stream.on('data', (chunk: Buffer) => reader.push(chunk));
  stream.on('error', () => undefined);
  const answer = (id: number) => vi.waitUntil(() => answers.find(({ head }) => head.id === id), { timeout: 10_000 });
  return { session, stream, answers, answer };
}

test('many calls share a stream, and large requests have streams of their own', async () => {
  await using sample = await startSample();
  await using relay = await startRelay(sample);
  const client = clientOf(relay);
  const admin = await asAdmin(sample);
  const call = async (name: string) => (await client.createOrganization({ name }, admin)).organization?.name;
  for (let i = 0; i < MANY; i += 1) expect(await call(`name ${i}`)).toBe(`name ${i}`);
  const before = [...relay.paths];
  expect(before).toContain(SHARED_STREAM_PATH);
  const names = Array.from({ length: 100 }, (_, i) => `${i}`.repeat(i));
  expect(await Promise.all(names.map(call))).toEqual(names);
  expect(relay.paths).toEqual(before);
  const large = 'x'.repeat(100_000);
  expect(await call(large)).toBe(large);
  expect(relay.paths).toEqual([...before, METHOD]);
});

test('few calls do not open a shared stream', async () => {
  await using sample = await startSample();
  await using relay = await startRelay(sample);
  const admin = await asAdmin(sample);
  const client = clientOf(relay);
  for (let i = 0; i < 5; i += 1) await client.createOrganization({ name: 'Acme' }, admin);
  expect(relay.paths).toEqual(Array.from({ length: 5 }, () => METHOD));
});

test('a server without shared streams gets a stream for each call, and is asked once', async () => {
  await using sample = await startSample();
  await using relay = await startRelay(sample, (stream) => {
    stream.respond({ ':status': 404 });
    stream.end();
  });
  const admin = await asAdmin(sample);
  const client = clientOf(relay);
  for (let i = 0; i < 2 * MANY; i += 1) await client.createOrganization({ name: 'Acme' }, admin);
  expect(relay.paths.filter((path) => path === METHOD)).toHaveLength(2 * MANY);
  expect(relay.paths.filter((path) => path === SHARED_STREAM_PATH)).toHaveLength(1);
});

test.each([
  ['sends what is not a frame', (stream: ServerHttp2Stream) => stream.write('{"id":1}, and more')],
  ['ends the stream', (stream: ServerHttp2Stream) => stream.end()],
  ['resets the stream', (stream: ServerHttp2Stream) => stream.close(2)],
])('when a server %s, the call that waits fails, and later calls succeed', async (_, spoil) => {
  await using sample = await startSample();
  await using relay = await startRelay(sample, (stream) => {
    stream.respond({ ':status': 200, 'content-type': SHARED_STREAM_TYPE });
    stream.once('data', () => spoil(stream));
  });
  const client = clientOf(relay, 30_000);
  const admin = await asAdmin(sample);
  const outcomes = [];
  for (let i = 0; i < MANY; i += 1) {
    outcomes.push(await client.createOrganization({ name: 'Acme' }, admin).catch(({ kind }) => kind));
  }
  const failures = outcomes.filter((outcome) => typeof outcome === 'string');
  expect(failures.length).toBeGreaterThan(0);
  expect(failures.length).toBeLessThan(MANY / 2);
});

test('errors of a call arrive as on a stream of its own', async () => {
  await using sample = await startSample();
  const client = clientOf(sample);
  const admin = await asAdmin(sample);
  for (let i = 0; i < MANY; i += 1) await client.createOrganization({ name: 'Acme' }, admin);
  await expect(client.createOrganization({})).rejects.toMatchObject({ kind: 'unauthenticated' });
  const wrong = withToken(await sample.identity.serviceToken('notifier'));
  await expect(client.createOrganization({}, wrong)).rejects.toMatchObject({ kind: 'forbidden' });
});

test('when the connection breaks, calls that wait fail at once, and later calls succeed', async () => {
  let arrived = Promise.withResolvers<void>();
  await using sample = await startSample({
    createOrganization: ({ name }, { signal }) => {
      if (name !== 'wait') return Promise.resolve({ organization: { name } });
      arrived.resolve();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({})));
    },
  });
  await using relay = await startRelay(sample);
  const client = clientOf(relay, 30_000);
  const admin = await asAdmin(sample);
  for (const _ of [1, 2]) {
    arrived = Promise.withResolvers<void>();
    for (let i = 0; i < MANY; i += 1) await client.createOrganization({ name: 'Acme' }, admin);
    const waiting = Promise.allSettled([1, 2].map(() => client.createOrganization({ name: 'wait' }, admin)));
    await arrived.promise;
    const since = performance.now();
    relay.cut();
    expect(await waiting).toMatchObject([
      { status: 'rejected', reason: { name: 'ServiceError' } },
      { status: 'rejected', reason: { name: 'ServiceError' } },
    ]);
    expect(performance.now() - since).toBeLessThan(10_000);
  }
  expect(relay.paths.filter((path) => path === SHARED_STREAM_PATH)).toHaveLength(2);
});

test.each(['the caller aborts', 'the deadline passes'])('the signal of a handler aborts when %s', async (reason) => {
  const waits = Promise.withResolvers<AbortSignal>();
  await using sample = await startSample({
    createOrganization: (request, context) => {
      if (request.name !== 'wait') return echo(request, context);
      waits.resolve(context.signal);
      return new Promise(() => undefined);
    },
  });
  const client = clientOf(sample, 30_000);
  const admin = await asAdmin(sample);
  for (let i = 0; i < MANY; i += 1) await client.createOrganization({ name: 'Acme' }, admin);
  const aborting = new AbortController();
  const limits = reason === 'the caller aborts' ? { signal: aborting.signal } : { timeoutMs: 100 };
  const failed = expect(client.createOrganization({ name: 'wait' }, { ...admin, ...limits })).rejects.toMatchObject({
    kind: 'deadline',
  });
  const signal = await waits.promise;
  aborting.abort();
  await failed;
  await vi.waitFor(() => expect(signal.aborted).toBe(true), { timeout: 10_000 });
  expect((await client.createOrganization({ name: 'Acme' }, admin)).organization?.name).toBe('Acme');
});

test('a handler does not run in the asynchronous context of the call that opened the stream', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen = new Set<string | undefined>();
  await using sample = await startSample({
    createOrganization: async ({ name }) => {
      seen.add(storage.getStore());
      return { organization: { name } };
    },
  });
  const client = clientOf(sample);
  const admin = await asAdmin(sample);
  await storage.run('a caller', async () => {
    for (let i = 0; i < MANY; i += 1) await client.createOrganization({ name: 'Acme' }, admin);
  });
  await client.createOrganization({ name: 'Acme' }, admin);
  expect([...seen]).toEqual([undefined]);
});

test('a shared stream ends when it is idle, and the next calls open another', async () => {
  await using sample = await startSample();
  await using stack = new AsyncDisposableStack();
  const relay = stack.use(await startRelay(sample));
  const client = clientOf(relay);
  const admin = await asAdmin(sample);
  const shared = () => relay.paths.filter((path) => path === SHARED_STREAM_PATH).length;
  const run = async () => {
    for (let i = 0; i < MANY; i += 1) await client.createOrganization({ name: 'Acme' }, admin);
  };
  await run();
  expect(shared()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  await run();
  expect(shared()).toBe(2);
});

test('a server that stops completes the calls of a shared stream, and refuses later ones for other replicas', async () => {
  const arrived = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const sample = await startSample({
    createOrganization: async (request, context) => {
      if (request.name === 'wait') {
        arrived.resolve();
        await goOn.promise;
      }
      return echo(request, context);
    },
  });
  await using stack = new AsyncDisposableStack();
  const client = clientOf(sample);
  const admin = await asAdmin(sample);
  for (let i = 0; i < MANY; i += 1) await client.createOrganization({ name: 'Acme' }, admin);
  const direct = await open(stack, sample);
  direct.stream.write(encodeFrame({ id: 1, path: METHOD, headers: {} }));
  expect((await direct.answer(1))?.head.status).toBe(401);
  const waiting = client.createOrganization({ name: 'wait' }, admin);
  await arrived.promise;
  const stopped = sample[Symbol.asyncDispose]();
  direct.stream.write(encodeFrame({ id: 2, path: METHOD, headers: {} }, encoded('late')));
  expect((await direct.answer(2))?.head).toEqual({ id: 2 });
  direct.stream.end();
  goOn.resolve();
  expect((await waiting).organization?.name).toBe('wait');
  await stopped;
});

test('frames that arrive in parts or together are read', async () => {
  await using sample = await startSample();
  await using stack = new AsyncDisposableStack();
  const { stream, answer } = await open(stack, sample);
  const headers = { authorization: `Bearer ${await sample.identity.serviceToken('admin')}` };
  const frames = [1, 2, 3].map((id) => encodeFrame({ id, path: METHOD, headers }, encoded(`name ${id}`)));
  const bytes = Buffer.concat(frames);
  for (const [start, end] of [
    [0, 3],
    [3, 20],
    [20, bytes.length],
  ]) {
    stream.write(bytes.subarray(start, end));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  for (const id of [1, 2, 3]) {
    const found = await answer(id);
    expect(found).toMatchObject({ head: { status: 200, headers: { 'content-type': 'application/proto' } } });
    expect(String(found?.body)).toContain(`name ${id}`);
  }
});

test('calls with an unknown method, invalid headers, no token or too large a body are refused, each alone', async () => {
  await using sample = await startSample();
  await using stack = new AsyncDisposableStack();
  const { stream, answer } = await open(stack, sample);
  const body = encoded('Acme');
  stream.write(encodeFrame({ id: 1, path: '/nothing/here', headers: {} }, body));
  stream.write(encodeFrame({ id: 2, path: METHOD, headers: { 'a b': 'c' } }, body));
  stream.write(encodeFrame({ id: 3, path: METHOD, headers: { a: ['b'] } }, body));
  stream.write(encodeFrame({ id: 4, path: METHOD }, body));
  stream.write(encodeFrame({ id: 5, path: METHOD, headers: { 'connect-timeout-ms': 'soon' } }, body));
  stream.write(encodeFrame({ id: 6, path: METHOD, headers: {} }, body));
  const anonymous = '/tocsin.identity.v1.IdentityService/ListSigningKeys';
  stream.write(encodeFrame({ id: 7, path: anonymous, headers: {} }, new Uint8Array(20_000)));
  stream.write(encodeFrame({ id: 8, path: anonymous, headers: {} }));
  const statuses = [];
  for (const id of [1, 2, 3, 4, 5, 6, 7, 8]) statuses.push((await answer(id))?.head.status);
  expect(statuses).toEqual([404, 400, 400, 400, 400, 401, 429, 200]);
});

test.each([
  ['a frame that is too large', Buffer.from([0, 0, 0, 0, 0, 0, 0, 1])],
  ['a head that is not JSON', Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{')])],
  ['a head that is not an object', encodeFrame([])],
  ['a call without an id', encodeFrame({ path: METHOD, headers: {} })],
  ['a call whose id is used already', encodeFrame({ id: 0, path: METHOD, headers: {} })],
])('%s ends the stream', async (_, bytes) => {
  await using sample = await startSample();
  await using stack = new AsyncDisposableStack();
  const { stream } = await open(stack, sample);
  const closed = new Promise((resolve) => stream.on('close', () => resolve(stream.rstCode)));
  stream.write(bytes);
  expect(await closed).toBe(1);
});

test('no more calls are read while a client does not read its responses', async () => {
  let calls = 0;
  await using sample = await startSample({
    createOrganization: async () => {
      calls += 1;
      return { organization: { name: 'x'.repeat(1_000_000) } };
    },
  });
  await using stack = new AsyncDisposableStack();
  const { stream, answers } = await open(stack, sample);
  const headers = { authorization: `Bearer ${await sample.identity.serviceToken('admin')}` };
  stream.pause();
  const wanted = 100;
  for (let id = 1; id <= wanted; id += 1) {
    stream.write(encodeFrame({ id, path: METHOD, headers }, encoded('Acme')));
    if (id % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(calls).toBeLessThan(50);
  stream.resume();
  await vi.waitFor(() => expect(answers).toHaveLength(wanted), { timeout: 20_000 });
});

test('a collection of the young generation frees calls that have ended', async () => {
  await using sample = await startSample({
    createOrganization: async ({ name }) => ({ organization: { name: name.slice(0, 10) } }),
  });
  const client = clientOf(sample);
  const admin = await asAdmin(sample);
  const bytes = 16_000;
  const run = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      await client.createOrganization({ name: String(i % 10).repeat(bytes) }, admin);
    }
  };
  await run(MANY);
  expect(await keptByYoungCollections(() => run(400))).toBeLessThan(200 * bytes);
});
