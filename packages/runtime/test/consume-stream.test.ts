import { connect, createServer, type Socket } from 'node:net';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { eventually, testNats } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { connectNats, consumeStream, createRuntime, listen } from '../src/index.ts';

test('messages are consumed although another version has configured the consumer differently', async () => {
  await using server = await testNats();
  const runtime = createRuntime('test', { logLevel: 'silent' });
  await using handle = await connectNats(server.url, runtime);
  const nats = handle.connection;
  const { consumers, streams } = await jetstreamManager(nats);
  await streams.add({ name: 'WORK', subjects: ['work'] });
  const received: string[] = [];
  const start = (changes: { max_ack_pending: number; ack_wait: number }) =>
    consumeStream({
      name: 'taking work',
      nats,
      runtime,
      stream: 'WORK',
      consumer: { durable_name: 'worker', ...changes },
      prefetch: 10,
      onMessage(message) {
        received.push(message.string());
        message.ack();
      },
    });
  const earlier = { max_ack_pending: 10_000, ack_wait: nanos(8_000) };
  const later = { max_ack_pending: 2_000, ack_wait: nanos(9_000) };
  await using _earlier = start(earlier);
  await jetstream(nats).publish('work', 'first');
  await eventually(() => expect(received).toEqual(['first']));
  // During an upgrade, replicas of both versions run.
  await using _later = start(later);
  await eventually(async () => expect((await consumers.info('WORK', 'worker')).config).toMatchObject(later));
  for (const text of ['second', 'third']) await jetstream(nats).publish('work', text);
  await eventually(() => expect(received.toSorted()).toEqual(['first', 'second', 'third']));
  // After a rollback, the earlier version starts again.
  await using _again = start(earlier);
  await eventually(async () => expect((await consumers.info('WORK', 'worker')).config).toMatchObject(earlier));
  await jetstream(nats).publish('work', 'fourth');
  await eventually(() => expect(received).toContain('fourth'));
  expect(received).toHaveLength(4);
});

test.each([
  { sharesProcess: false, seconds: 10 },
  { sharesProcess: true, seconds: 30 },
])('a request for messages lasts $seconds s if sharesProcess is $sharesProcess', async ({ sharesProcess, seconds }) => {
  await using server = await testNats();
  const runtime = createRuntime('test', { logLevel: 'silent', sharesProcess });
  await using handle = await connectNats(server.url, runtime);
  const nats = handle.connection;
  const { streams } = await jetstreamManager(nats);
  await streams.add({ name: 'WORK', subjects: ['work'] });
  const requests = nats.subscribe('$JS.API.CONSUMER.MSG.NEXT.>', { max: 1 });
  const consumer = { durable_name: 'worker' };
  const onMessage = () => undefined;
  await using _consuming = consumeStream({
    name: 'x',
    nats,
    runtime,
    stream: 'WORK',
    consumer,
    prefetch: 1,
    onMessage,
  });
  for await (const request of requests) expect(request.json()).toMatchObject({ expires: nanos(seconds * 1_000) });
});

test('messages are consumed soon although NATS is unavailable again while the consumer is looked up after a reconnection', async () => {
  await using server = await testNats();
  await using proxy = await startProxy(server.url);
  const runtime = createRuntime('test', { logLevel: 'silent', sharesProcess: true });
  await using direct = await connectNats(server.url, runtime);
  await using proxied = await connectNats(proxy.url, runtime);
  const { streams } = await jetstreamManager(direct.connection);
  await streams.add({ name: 'WORK', subjects: ['work'] });
  const received: string[] = [];
  await using _consuming = consumeStream({
    name: 'taking work',
    nats: proxied.connection,
    runtime,
    stream: 'WORK',
    consumer: { durable_name: 'worker' },
    prefetch: 10,
    onMessage(message) {
      received.push(message.string());
      message.ack();
    },
  });
  await jetstream(direct.connection).publish('work', 'before');
  await eventually(() => expect(received).toEqual(['before']));
  proxy.cutNow();
  await proxy.cutAtNext('$JS.API.CONSUMER.');
  await jetstream(direct.connection).publish('work', 'after');
  // A request that is lost times out after 5 s. Without a new start, the client would wait for 15 to 45 s more.
  await eventually(() => expect(received).toEqual(['before', 'after']), { timeoutMs: 12_000 });
});

interface Proxy extends AsyncDisposable {
  readonly url: string;
  cutNow(): void;
  /** Cuts the connection when the client next sends this text, before the server receives it. */
  cutAtNext(text: string): Promise<void>;
}

async function startProxy(serverUrl: string): Promise<Proxy> {
  const { hostname, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const cutNow = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  let awaited: { readonly text: string; readonly done: () => void } | undefined;
  const proxy = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    upstream.pipe(client);
    client.on('data', (chunk: Buffer) => {
      if (awaited && chunk.includes(awaited.text)) {
        cutNow();
        awaited.done();
        awaited = undefined;
      } else upstream.write(chunk);
    });
  });
  const url = new URL(serverUrl);
  url.port = String(await listen(proxy, '127.0.0.1', 0));
  return {
    url: url.href,
    cutNow,
    cutAtNext: (text) =>
      new Promise((done) => {
        awaited = { text, done };
      }),
    async [Symbol.asyncDispose]() {
      cutNow();
      proxy.close();
    },
  };
}
