import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { freePort } from '@tocsin/testing';
import { createAuthority } from '@tocsin/testing/certificates';
import { afterAll, expect, test } from 'vitest';
import { tcpProbe } from '../src/probes/tcp/tcp-probe.ts';
import { type DiallingOptions, dialling } from './dialling.ts';
import { startFullServer } from './full-server.ts';
import { Fixture } from './hostile/target.ts';

const fixture = new Fixture();
afterAll(() => fixture[Symbol.asyncDispose]());

function check(port: number, config: object = {}, options: DiallingOptions = {}, timeoutMs = 5_000) {
  return tcpProbe(dialling(options))(JSON.stringify({ host: '127.0.0.1', port, ...config }), timeoutMs, new Map());
}

test('a check of a port that accepts connections passes, reports phase durations and sends no data', async () => {
  const ended = Promise.withResolvers<number>();
  const port = await fixture.tcp((socket) => {
    socket.resume().once('close', () => ended.resolve(socket.bytesRead));
  });
  expect(await check(port)).toEqual({
    outcome: 'pass',
    error: '',
    phases: { dns: expect.any(Number), connect: expect.any(Number), total: expect.any(Number) },
  });
  expect(await ended.promise).toBe(0);
});

test('the error for a port without a listener names the port', async () => {
  const port = await freePort();
  expect(await check(port)).toMatchObject({ outcome: 'error', error: `connection refused by 127.0.0.1:${port}` });
});

test('if a port does not respond to connection attempts, the check times out with an error that names the port', async () => {
  await using server = await startFullServer();
  const { port } = server;
  expect(await check(port, {}, {}, 1_000)).toMatchObject({
    outcome: 'timeout',
    error: `no response within 1000 ms, still connecting to 127.0.0.1:${port}`,
  });
});

test('with TLS, a check passes if the certificate is valid, and times out if the target does not respond to the handshake', async () => {
  const authority = await createAuthority('Test Root');
  const { key, cert } = await authority.issue({ names: [], addresses: ['127.0.0.1'] });
  const port = await fixture.listen(createTlsServer({ key, cert }));
  const trusting = { ca: authority.cert };
  expect(await check(port, { tls: true }, trusting)).toMatchObject({
    outcome: 'pass',
    certificate: { issuer: 'Test Root', valid: true },
    phases: { tls: expect.any(Number) },
  });
  expect(await check(port, { tls: true })).toMatchObject({
    outcome: 'error',
    error: expect.stringContaining('"Test Root", which is no trusted authority either'),
  });
  const mute = await fixture.tcp(() => {});
  expect(await check(mute, { tls: true }, trusting, 1_000)).toMatchObject({
    outcome: 'timeout',
    error: 'no response within 1000 ms, connected, still in the TLS handshake',
  });
});

test('a host is reached over IPv6, by address and by name', async () => {
  const port = await fixture.listen(createServer(), '::1');
  expect(await check(port, { host: '::1' })).toMatchObject({ outcome: 'pass' });
  const resolve = async () => [{ address: '::1', family: 6 as const }];
  expect(await check(port, { host: 'six.example' }, { resolve })).toMatchObject({ outcome: 'pass' });
});

test('a check passes if one of several addresses responds', async () => {
  const port = await fixture.tcp(() => {});
  const resolve = async () => [
    { address: '::1', family: 6 as const },
    { address: '127.0.0.1', family: 4 as const },
  ];
  expect(await check(port, { host: 'both.example' }, { resolve })).toMatchObject({ outcome: 'pass' });
});

test.each([
  ['10.0.0.1', '10.0.0.1 is not a public address'],
  ['::ffff:169.254.169.254', '::ffff:169.254.169.254 is not a public address'],
  ['inside.example', 'inside.example does not resolve to a public address'],
])('a check of the private host %s fails with the error: %s', async (host, error) => {
  const resolve = async () => [{ address: '192.168.0.9', family: 4 as const }];
  expect(await check(5432, { host }, { resolve })).toMatchObject({
    outcome: 'error',
    error: expect.stringContaining(error),
  });
});
