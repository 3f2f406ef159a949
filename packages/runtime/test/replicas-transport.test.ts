import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Http2SessionOptions } from '@connectrpc/connect-node';
import { AdminService, IdentityService } from '@tocsin/proto/identity/v1/identity';
import { eventually, freePort } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { HTTP2_OPTIONS, WideSessionManager } from '../src/http2-session.ts';
import { createRpcClient, listen, withToken } from '../src/index.ts';
import { ReplicasTransport } from '../src/replicas-transport.ts';
import { overHttp2, UnaryTransport } from '../src/unary-transport.ts';
import { startSample } from './sample-server.ts';

/**
 * Returns a client for a service whose replicas have the given addresses, and a list of the addresses that responded to
 * calls.
 */
function clientOf(port: number, addresses: { current: readonly string[] }, pings: Http2SessionOptions = {}) {
  const reached: string[] = [];
  const transport = new ReplicasTransport(
    `http://replicas.example:${port}`,
    (baseUrl) => {
      const sessions = new WideSessionManager(baseUrl, pings, HTTP2_OPTIONS);
      const transport = new UnaryTransport({ send: overHttp2(sessions), timeoutMs: 0 });
      return {
        stream: transport.stream,
        async unary(...call) {
          const response = await transport.unary(...call);
          reached.push(new URL(baseUrl).hostname);
          return response;
        },
      };
    },
    async () => {
      if (addresses.current.length === 0) throw new Error('the name server does not respond');
      return addresses.current;
    },
  );
  const client = createRpcClient(IdentityService, transport);
  return { call: () => client.listSigningKeys({}), admin: createRpcClient(AdminService, transport), reached };
}

interface Relay extends AsyncDisposable {
  /** Milliseconds by which requests are delayed. */
  delayMs: number;
  /** Breaks all connections and accepts no new ones. */
  break(): Promise<void>;
}

/** Starts a server that forwards connections to a port of 127.0.0.1. */
async function startRelay({ host, port, to }: { host: string; port: number; to: number }): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(to, '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => onward.destroy());
    onward.on('error', () => undefined).on('close', () => socket.destroy());
    socket.on('data', (data) => setTimeout(() => onward.write(data), relay.delayMs));
    onward.pipe(socket);
  });
  const relay: Relay = {
    delayMs: 0,
    async break() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.resetAndDestroy();
      await closed;
    },
    [Symbol.asyncDispose]: () => relay.break(),
  };
  await listen(server, host, port);
  return relay;
}

const [one, two, three] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

test('replicas at all addresses of a name share the calls equally', async () => {
  const port = await freePort();
  await using _one = await startSample({ host: one, port });
  await using _two = await startSample({ host: two, port });
  const { call, reached } = clientOf(port, { current: [one, two] });
  await Promise.all(Array.from({ length: 100 }, call));
  expect(reached.filter((address) => address === one)).toHaveLength(50);
  expect(reached.filter((address) => address === two)).toHaveLength(50);
});

test('no call fails while a replica stops and another one starts', async () => {
  const port = await freePort();
  const addresses = { current: [one, two] };
  const first = await startSample({ host: one, port });
  await using _two = await startSample({ host: two, port });
  const { call, reached } = clientOf(port, addresses);
  await Promise.all(Array.from({ length: 10 }, call));
  await first[Symbol.asyncDispose]();
  await Promise.all(Array.from({ length: 10 }, call));
  expect(reached.slice(-10)).toEqual(Array(10).fill(two));

  await using _three = await startSample({ host: three, port });
  addresses.current = [two, three];
  await eventually(async () => {
    await call();
    expect(reached.at(-1)).toBe(three);
  });
});

test('no call fails after the only replica was replaced by a replica at another address', async () => {
  const port = await freePort();
  const addresses = { current: [one] };
  const first = await startSample({ host: one, port });
  const { call, reached } = clientOf(port, addresses);
  await call();
  await using _two = await startSample({ host: two, port });
  addresses.current = [two];
  await first[Symbol.asyncDispose]();
  await Promise.all(Array.from({ length: 10 }, call));
  expect(reached).toEqual([one, ...Array(10).fill(two)]);
});

test('a call that reaches a stopped replica is repeated at another replica', async () => {
  const port = await freePort();
  const first = await startSample();
  await using relay = await startRelay({ host: one, port, to: first.port });
  const addresses = { current: [one] };
  const { call, admin, reached } = clientOf(port, addresses);
  await call();
  relay.delayMs = 100;
  const token = await first.identity.serviceToken('admin');
  const created = admin.createOrganization({ name: 'Acme' }, withToken(token));
  await sleep(20);
  await using _second = await startSample({ host: two, port, identity: first.identity });
  addresses.current = [two];
  await first[Symbol.asyncDispose]();
  await expect(created).resolves.toMatchObject({ organization: { name: 'Acme' } });
  expect(reached).toEqual([one, two]);
});

test('a call whose connection breaks is repeated at another replica only if its method is idempotent', async () => {
  const port = await freePort();
  await using first = await startSample();
  await using relay = await startRelay({ host: one, port, to: first.port });
  const addresses = { current: [one] };
  const { call, admin, reached } = clientOf(port, addresses);
  await call();
  relay.delayMs = 5_000;
  const read = call();
  const created = admin.createOrganization({ name: 'Acme' });
  const refused = expect(created).rejects.toMatchObject({ kind: 'unavailable' });
  await sleep(20);
  await using _second = await startSample({ host: two, port });
  addresses.current = [two];
  await relay.break();
  await read;
  await refused;
  expect(reached).toEqual([one, two]);
});

test('a call to a replica that has vanished is repeated at another replica if its method is idempotent', async () => {
  const port = await freePort();
  await using first = await startSample();
  await using relay = await startRelay({ host: one, port, to: first.port });
  await using _second = await startSample({ host: two, port });
  const { call, reached } = clientOf(port, { current: [one, two] }, { pingIntervalMs: 500, pingTimeoutMs: 500 });
  await call();
  await call();
  relay.delayMs = 60_000;
  await call();
  expect(reached).toEqual([one, two, two]);
});

test('while names cannot be resolved, the known replicas are used', async () => {
  const port = await freePort();
  const addresses: { current: readonly string[] } = { current: [one] };
  const first = await startSample({ host: one, port });
  const { call } = clientOf(port, addresses);
  await call();
  addresses.current = [];
  await first[Symbol.asyncDispose]();
  await expect(call()).rejects.toMatchObject({ kind: 'unavailable' });
  await using _again = await startSample({ host: one, port });
  await call();
});

test('a name without an address is reported as unavailable', async () => {
  const { call } = clientOf(await freePort(), { current: [] });
  await expect(call()).rejects.toMatchObject({ kind: 'unavailable', message: 'replicas.example has no address' });
});
