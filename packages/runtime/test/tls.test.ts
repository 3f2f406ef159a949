import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { AdminService } from '@tocsin/proto/identity/v1/identity';
import { eventually } from '@tocsin/testing';
import { type Authority, createAuthority, type Issued, type LeafOptions } from '@tocsin/testing/certificates';
import { afterAll, expect, test } from 'vitest';
import { createRpcClient, createRuntime, createTransport, listen, openTls, type Tls, withToken } from '../src/index.ts';
import { type Sample, startSample } from './sample-server.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

const authority = await createAuthority('Tocsin');
const foreign = await createAuthority('Foreign');
const local: LeafOptions = { names: ['localhost'], addresses: ['127.0.0.1'] };

/** Writes the certificates of a process to a folder. */
async function writeCertificates(folder: string, { cert, key }: Issued, trusted: string): Promise<void> {
  await replaceFile(folder, 'ca.crt', trusted);
  await replaceFile(folder, 'tls.key', key);
  await replaceFile(folder, 'tls.crt', cert);
}

/** Replaces a file atomically, so that no reader sees an incomplete file. */
async function replaceFile(folder: string, name: string, text: string): Promise<void> {
  await writeFile(join(folder, 'new'), text);
  await rename(join(folder, 'new'), join(folder, name));
}

/** Creates a folder with a new certificate from an authority, and returns its path. */
async function folderOf(issuer: Authority, options: LeafOptions = local, trusted = authority.cert): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-tls-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await writeCertificates(folder, await issuer.issue(options), trusted);
  return folder;
}

async function tlsOf(folder: string): Promise<Tls> {
  const tls = await openTls({ folder, runtime: createRuntime('sample', { logLevel: 'silent' }), readEveryMs: 20 });
  if (!tls) throw new Error('a folder was named');
  return stack.use(tls);
}

async function serverWith(folder: string): Promise<Sample> {
  const web: NonNullable<Parameters<typeof startSample>[0]>['web'] = (_request, response) => void response.end('page');
  return stack.use(await startSample({ tls: await tlsOf(folder), web }));
}

async function call(sample: Sample, tls: Tls, host = '127.0.0.1'): Promise<string | undefined> {
  const url = `https://${host}:${sample.port}`;
  const client = createRpcClient(AdminService, createTransport({ url, service: 'sample', tls, timeoutMs: 5_000 }));
  const options = withToken(await sample.identity.serviceToken('admin'));
  return (await client.createOrganization({ name: 'Acme' }, options)).organization?.name;
}

const unavailable = { name: 'ServiceError', kind: 'unavailable' };
const good = await tlsOf(await folderOf(authority));
const server = await serverWith(await folderOf(authority));

test('calls between processes with certificates from the same authority succeed, by address and by name', async () => {
  expect(await call(server, good)).toBe('Acme');
  expect(await call(server, good, 'localhost')).toBe('Acme');
});

test('an HTTP/1.1 request with a certificate gets a response', async () => {
  const response = await new Promise<number | undefined>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path: '/page', secureContext: good.context() };
    request(options, (answer) => resolve(answer.resume().statusCode))
      .once('error', reject)
      .end();
  });
  expect(response).toBe(200);
});

test('a request without TLS is refused', async () => {
  await expect(fetch(`http://127.0.0.1:${server.port}/page`)).rejects.toThrow();
  const plain = createTransport({ url: `http://127.0.0.1:${server.port}`, service: 'sample' });
  const options = withToken(await server.identity.serviceToken('admin'));
  await expect(createRpcClient(AdminService, plain).createOrganization({}, options)).rejects.toThrow();
});

test('a call to a server that never does the handshake fails with `unavailable` before its deadline', async () => {
  const sockets: Socket[] = [];
  const mute = createServer((socket) => sockets.push(socket));
  const url = `https://127.0.0.1:${await listen(mute, '127.0.0.1', 0)}`;
  const client = createRpcClient(AdminService, createTransport({ url, service: 'sample', tls: good }));
  await expect(client.createOrganization({})).rejects.toMatchObject(unavailable);
  for (const socket of sockets) socket.destroy();
  mute.close();
});

test('a URL without TLS is refused if there are certificates', () => {
  expect(() => createTransport({ url: 'http://127.0.0.1:1', service: 'sample', tls: good })).toThrow(
    'TOCSIN_TLS_DIR is set, so the URL of sample must begin with https: http://127.0.0.1:1',
  );
});

test('a client without a certificate is refused', async () => {
  const socket = connect({ host: '127.0.0.1', port: server.port, ca: authority.cert });
  const ended = new Promise((resolve) => socket.once('error', resolve).once('close', resolve).resume());
  socket.once('secureConnect', () => socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'));
  let received = '';
  socket.on('data', (data) => {
    received += data;
  });
  await ended;
  expect(received).toBe('');
});

test.each<[string, () => Promise<string>]>([
  ['a foreign authority', () => folderOf(foreign)],
  ['an expired certificate', () => folderOf(authority, { ...local, begins: -2, ends: -1 })],
  ['a certificate that is not valid yet', () => folderOf(authority, { ...local, begins: 1 })],
])('a client with %s is refused', async (_, folder) => {
  // The server refuses the certificate only after the client has finished the handshake (RFC 8446 §2), so the client
  // gets the error of a closed connection.
  await expect(call(server, await tlsOf(await folder()))).rejects.toThrow();
});

test.each<[string, () => Promise<string>]>([
  ['a foreign authority', () => folderOf(foreign)],
  ['an expired certificate', () => folderOf(authority, { ...local, begins: -2, ends: -1 })],
  ['a certificate for another name', () => folderOf(authority, { names: ['monitor'], addresses: ['127.0.0.2'] })],
])('a server with %s is refused', async (_, folder) => {
  const wrong = await serverWith(await folder());
  await expect(call(wrong, good)).rejects.toMatchObject(unavailable);
  await expect(call(wrong, good, 'localhost')).rejects.toMatchObject(unavailable);
});

test('renewed certificates, even from another authority, are used without a failed request', async () => {
  const next = await createAuthority('Next');
  const both = `${authority.cert}\n${next.cert}`;
  const [own, callers] = [await folderOf(authority), await folderOf(authority)];
  const renewed = await serverWith(own);
  const client = await tlsOf(callers);
  const issuerOfServer = () =>
    new Promise<string>((resolve, reject) => {
      const socket = client.connect({ host: '127.0.0.1', port: renewed.port, name: '127.0.0.1' });
      socket.once('error', reject).once('secureConnect', () => {
        resolve(socket.getPeerX509Certificate()?.issuer ?? '');
        socket.destroy();
      });
    });
  const outcomes: unknown[] = [];
  let isDone = false;
  const load = (async () => {
    // Each call opens a connection.
    while (!isDone) outcomes.push(await call(renewed, client).catch((error: unknown) => error));
  })();
  // As in a real change of the authority, all programs trust both authorities before the certificates are replaced.
  for (const folder of [own, callers]) await replaceFile(folder, 'ca.crt', both);
  const nextFolder = () => folderOf(next, local, both);
  const [nextServer, nextClient] = [await serverWith(await nextFolder()), await tlsOf(await nextFolder())];
  await eventually(async () => expect(await call(renewed, nextClient)).toBe('Acme'));
  await eventually(async () => expect(await call(nextServer, client)).toBe('Acme'));
  for (const folder of [own, callers]) await writeCertificates(folder, await next.issue(local), both);
  await eventually(async () => expect(await issuerOfServer()).toBe('CN=Next'));
  // This server accepts only a certificate from the new authority.
  const strict = await serverWith(await folderOf(next, local, next.cert));
  await eventually(async () => expect(await call(strict, client)).toBe('Acme'));
  for (const folder of [own, callers]) await replaceFile(folder, 'ca.crt', next.cert);
  await eventually(() => expect(call(renewed, good)).rejects.toMatchObject(unavailable));
  isDone = true;
  await load;
  expect(new Set(outcomes)).toEqual(new Set(['Acme']));
});

test('new files that are invalid are ignored, and the previous certificates stay in use', async () => {
  const own = await folderOf(authority);
  const changed = await serverWith(own);
  const other = await authority.issue(local);
  for (const [name, text] of [
    ['tls.crt', 'not a certificate'],
    ['tls.crt', other.cert],
    ['ca.crt', ''],
  ] as const) {
    await replaceFile(own, name, text);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await call(changed, good)).toBe('Acme');
  }
});
