import { createServer, type Socket } from 'node:net';
import { listen } from '@tocsin/runtime';
import { eventually, startFreezableProxy, testDatabase } from '@tocsin/testing';
import { afterAll, afterEach, expect, test } from 'vitest';
import { whileLeading } from '../src/index.ts';

const storage = await testDatabase('leading');
afterAll(() => storage[Symbol.asyncDispose]());

const started: (() => Promise<void>)[] = [];
// A failed test leaves replicas running. Their locks would make the following tests fail.
afterEach(() => Promise.all(started.splice(0).map((stop) => stop())));

/** Starts a replica that wants to lead, and records its state. */
function start(lockSql = `'work'`) {
  const abort = new AbortController();
  const state = { isLeading: false, isEnded: false };
  const running = whileLeading({ url: storage.url, lockSql, signal: abort.signal }, async (client, ended) => {
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    // There must be no `await` between this line and the listener, because a test may stop the replica as soon as
    // `isLeading` is true.
    state.isLeading = true;
    await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }));
    state.isLeading = false;
  }).finally(() => {
    state.isEnded = true;
  });
  const stop = () => {
    abort.abort();
    return running;
  };
  started.push(stop);
  return { state, stop };
}

test('only one of two replicas does the work, and the other replica begins when the first one has ended', async () => {
  const first = start();
  await eventually(() => expect(first.state.isLeading).toBe(true));
  const second = start();
  const other = start(`'other work'`);
  await eventually(() => expect(other.state.isLeading).toBe(true));
  expect(second.state.isLeading).toBe(false);
  await first.stop();
  await eventually(() => expect(second.state.isLeading).toBe(true));
  await Promise.all([second.stop(), other.stop()]);
});

test('a waiting replica ends when its signal aborts', async () => {
  const leader = start();
  await eventually(() => expect(leader.state.isLeading).toBe(true));
  const waiting = start();
  await waiting.stop();
  expect(waiting.state).toEqual({ isLeading: false, isEnded: true });
  await leader.stop();
});

test('the signal of a leader aborts when its connection is lost', async () => {
  const { state, stop } = start();
  await eventually(() => expect(state.isLeading).toBe(true));
  const other = start(`'killer'`);
  await eventually(() => expect(other.state.isLeading).toBe(true));
  await whileLeading(
    { url: storage.url, lockSql: `'one more'`, signal: AbortSignal.timeout(10_000) },
    async (client) => {
      await client.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
       and objid = (hashtext('work')::bigint & 4294967295)::oid and granted`,
      );
    },
  );
  await eventually(() => expect(state).toEqual({ isLeading: false, isEnded: true }));
  expect(other.state.isLeading).toBe(true);
  await Promise.all([stop(), other.stop()]);
});

/** Returns the URL of the database for TCP connections to a port. */
function tcpUrl(port?: number): string {
  const url = new URL(storage.url);
  if (port !== undefined) url.port = String(port);
  // Without the parameter `host`, which names a Unix socket, the URL uses TCP.
  url.search = '';
  return url.href;
}

test('a replica that connects to a server that never responds throws an error', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  const url = tcpUrl(await listen(server, '127.0.0.1', 0));
  const leadership = { url, lockSql: `'mute'`, signal: AbortSignal.timeout(60_000), connectTimeoutMs: 300 };
  await expect(whileLeading(leadership, async () => undefined)).rejects.toThrow('timeout expired');
  for (const socket of sockets) socket.destroy();
  server.close();
});

test('a statement of a leader throws an error when the server does not respond', async () => {
  await using proxy = await startFreezableProxy(Number(new URL(storage.url).port));
  const leadership = { url: tcpUrl(proxy.port), lockSql: `'frozen'`, signal: AbortSignal.timeout(60_000) };
  const work = whileLeading({ ...leadership, queryTimeoutMs: 300 }, async (client) => {
    proxy.freeze();
    await client.query('select 1');
  });
  await expect(work).rejects.toThrow('Query read timeout');
});

test('PostgreSQL ends the session of a leader whose host has vanished, so that another replica can lead', async () => {
  const settings: unknown[] = [];
  const leadership = { url: tcpUrl(), lockSql: `'settings'`, signal: AbortSignal.timeout(60_000) };
  await whileLeading(leadership, async (client) => {
    const names = ['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'tcp_user_timeout'];
    for (const name of names) settings.push(...(await client.query(`show ${name}`)).rows);
  });
  expect(settings).toEqual([
    { tcp_keepalives_idle: '5' },
    { tcp_keepalives_interval: '5' },
    { tcp_keepalives_count: '3' },
    { tcp_user_timeout: '15000' },
  ]);
});
