import { createServer } from 'node:net';
import { eventually, freePort, testNats } from '@tocsin/testing';
import { expect, test, vi } from 'vitest';
import { connectNats, createRuntime, listen } from '../src/index.ts';
import { lines } from './log-lines.ts';

test('a service is not ready during an outage of NATS', async () => {
  await using server = await testNats();
  const runtime = createRuntime('test', { logLevel: 'silent' });
  runtime.readiness.started();
  await using _nats = await connectNats(server.url, runtime);
  expect(await runtime.readiness.report()).toMatchObject({ ready: true, checks: { nats: 'ok' } });
  await server.stop();
  await eventually(async () => expect((await runtime.readiness.report()).checks.nats).toBe('NATS is unavailable'));
  await server.start();
  await eventually(async () => expect((await runtime.readiness.report()).ready).toBe(true));
});

test('a service can start before NATS and logs that it is waiting', async () => {
  await using server = await testNats();
  await server.stop();
  const log = lines();
  const connecting = connectNats(server.url, createRuntime('test', { logTo: log.stream }));
  await eventually(() => expect(log.text()).toContain('waiting for NATS'));
  await server.start();
  await using nats = await connecting;
  await nats.connection.flush();
});

test('stopping a service ends its wait for NATS with an error', async () => {
  const stop = new AbortController();
  const runtime = createRuntime('test', { logLevel: 'silent', signal: stop.signal });
  const connecting = connectNats(`nats://127.0.0.1:${await freePort()}`, runtime);
  stop.abort();
  await expect(connecting).rejects.toThrow();
});

test('a service reconnects at once although the clock has been set back since it connected', async () => {
  await using server = await testNats();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  try {
    const runtime = createRuntime('test', { logLevel: 'silent' });
    await using _nats = await connectNats(server.url, runtime);
    vi.useRealTimers();
    await server.stop();
    await server.start();
    runtime.readiness.started();
    await eventually(async () => expect((await runtime.readiness.report()).ready).toBe(true), { timeoutMs: 5_000 });
  } finally {
    vi.useRealTimers();
  }
});

test('a service reconnects although NATS has refused its credentials several times', async () => {
  await using server = await testNats();
  const runtime = createRuntime('test', { logLevel: 'silent' });
  runtime.readiness.started();
  await using _nats = await connectNats(server.url, runtime);
  await server.stop();
  let refusals = 0;
  const refusing = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .write('INFO {"version":"2.12.0","proto":1,"headers":true,"max_payload":1048576}\r\n');
    socket.once('data', () => {
      refusals += 1;
      socket.end("-ERR 'Authentication Timeout'\r\n");
    });
  });
  await listen(refusing, '127.0.0.1', Number(new URL(server.url).port));
  await eventually(() => expect(refusals).toBeGreaterThan(3));
  refusing.close();
  await server.start();
  await eventually(async () => expect((await runtime.readiness.report()).ready).toBe(true), { timeoutMs: 5_000 });
});

test('with tls://, credentials are not sent to a server without TLS', async () => {
  const received: string[] = [];
  await using server = createServer((socket) => {
    socket.on('error', () => {}).on('data', (bytes) => received.push(bytes.toString()));
    socket.write('INFO {"server_id":"x","version":"2.12.0","proto":1,"max_payload":1048576}\r\n');
  });
  const port = await listen(server, '127.0.0.1', 0);
  const log = lines();
  const stop = new AbortController();
  const runtime = createRuntime('test', { logTo: log.stream, signal: stop.signal });
  const connecting = connectNats(`tls://checker:s3cret@127.0.0.1:${port}`, runtime);
  await eventually(() => expect(log.text()).toContain("server does not support 'tls'"));
  stop.abort();
  await expect(connecting).rejects.toThrow();
  expect(received.join('')).not.toContain('s3cret');
});

test('a list of URLs with and without tls:// is refused', async () => {
  const runtime = createRuntime('test', { logLevel: 'silent' });
  await expect(connectNats('tls://a:4222,nats://b:4222', runtime)).rejects.toThrow('must either all begin with tls://');
});
