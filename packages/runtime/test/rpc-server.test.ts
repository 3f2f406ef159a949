import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Code, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { status } from '@grpc/grpc-js';
import { ServiceError } from '@tocsin/errors';
import { AdminService, IdentityService } from '@tocsin/proto/identity/v1/identity';
import { eventually, testIdentity } from '@tocsin/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRpcClient, createTransport, withToken } from '../src/index.ts';
import { grpcClient, unary } from './grpc-js.ts';
import { type Sample, startSample } from './sample-server.ts';

let sample: Sample;
let token: string;

beforeAll(async () => {
  sample = await startSample({ web: (_request, response) => response.end('a page') });
  token = await sample.identity.serviceToken('admin');
});

afterAll(() => sample[Symbol.asyncDispose]());

const transports: Record<string, (baseUrl: string) => Transport> = {
  'Connect over HTTP/1.1': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
  'Connect over HTTP/2': (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' }),
  'gRPC-Web over HTTP/1.1': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
  'gRPC-Web over HTTP/2': (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '2' }),
  gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
};

describe.each(Object.entries(transports))('%s on the shared port', (_, transport) => {
  test('a call with a token is served, and a call without one is rejected', async () => {
    const client = createClient(AdminService, transport(sample.url));
    const { organization } = await client.createOrganization({ name: 'Acme' }, withToken(token));
    expect(organization?.name).toBe('Acme');
    await expect(client.createOrganization({ name: 'Acme' })).rejects.toMatchObject({ code: Code.Unauthenticated });
  });
});

describe('a grpc-js client', () => {
  const { createOrganization, createApiKey } = AdminService.method;

  test('a call with a token is served', async () => {
    using client = grpcClient(sample.port);
    const { organization } = await unary(client, createOrganization, { name: 'Acme' }, { token });
    expect(organization?.name).toBe('Acme');
  });

  test('a call without a token, or with a token of another identity service, is UNAUTHENTICATED', async () => {
    using client = grpcClient(sample.port);
    const foreign = await (await testIdentity()).serviceToken('admin');
    for (const options of [{}, { token: 'nonsense' }, { token: foreign }]) {
      const call = unary(client, createOrganization, { name: 'Acme' }, options);
      await expect(call).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
    }
  });

  test('an anonymous method needs no token', async () => {
    using client = grpcClient(sample.port);
    const response = await unary(client, IdentityService.method.listSigningKeys, {});
    expect(response.jwksJson).toBe('{"keys":[]}');
  });

  test('methods that only another service may call are PERMISSION_DENIED', async () => {
    using client = grpcClient(sample.port);
    const permitted = await unary(client, createApiKey, { name: 'mine' }, { token });
    expect(permitted.key).toBe('mine');
    const others = [
      await sample.identity.serviceToken('monitor'),
      await sample.identity.credentialToken('01920000-0000-7000-8000-00000000000a', { permissions: ['admin'] }),
    ];
    for (const other of others) {
      const call = unary(client, createApiKey, { name: 'mine' }, { token: other });
      await expect(call).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
    }
  });

  test('an unknown method is UNIMPLEMENTED', async () => {
    using client = grpcClient(sample.port);
    const call = unary(client, IdentityService.method.issueServiceToken, {}, { token });
    await expect(call).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
  });
});

test('the web handler responds to paths that are not RPCs', async () => {
  const response = await fetch(`${sample.url}/s/acme`);
  expect(await response.text()).toBe('a page');
});

test('a server without a web handler responds 404', async () => {
  await using plain = await startSample();
  expect((await fetch(`${plain.url}/s/acme`)).status).toBe(404);
});

test('the protocol is detected even if the first bytes arrive one by one', async () => {
  const socket = connect(sample.port, '127.0.0.1');
  socket.setNoDelay(true);
  const response = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
  for (const letter of 'GET /s/acme HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n') {
    await new Promise((resolve) => socket.write(letter, resolve));
  }
  expect(await response).toMatch(/^HTTP\/1\.1 200 OK/);
  socket.destroy();
});

test('a connection that sends nothing or invalid data does not affect other connections', async () => {
  const silent = connect(sample.port, '127.0.0.1');
  const nonsense = connect(sample.port, '127.0.0.1', () => nonsense.end('PRI nonsense\r\n\r\n'));
  nonsense.on('error', () => undefined);
  await new Promise((resolve) => nonsense.once('close', resolve).resume());
  silent.destroy();
  expect(await (await fetch(`${sample.url}/s/acme`)).text()).toBe('a page');
});

test('an idle connection is closed, and the next call opens a new connection', async () => {
  await using impatient = await startSample({ idleTimeoutMs: 100 });
  const idle = connectHttp2(impatient.url);
  idle.on('error', () => undefined);
  await eventually(() => expect(idle.destroyed).toBe(true));

  const client = createRpcClient(AdminService, createTransport({ url: impatient.url, service: 'sample' }));
  const call = async () =>
    client.createOrganization({ name: 'Acme' }, withToken(await impatient.identity.serviceToken('admin')));
  await call();
  await sleep(300);
  expect(await call()).toMatchObject({ organization: { name: 'Acme' } });
});

test('a call that takes longer than the idle timeout gets its response', async () => {
  const createOrganization = () => sleep(500).then(() => ({ organization: { name: 'late' } }));
  await using impatient = await startSample({ idleTimeoutMs: 100, createOrganization });
  const client = createRpcClient(AdminService, createTransport({ url: impatient.url, service: 'sample' }));
  const call = client.createOrganization({}, withToken(await impatient.identity.serviceToken('admin')));
  expect(await call).toMatchObject({ organization: { name: 'late' } });
});

test('an error arrives with its kind, message and fields', async () => {
  const fields = { 'config.url': ['is required'], name: ['is too long'] };
  const createOrganization = () => Promise.reject(new ServiceError('invalid', 'two fields are wrong', { fields }));
  await using failing = await startSample({ createOrganization });
  const client = createRpcClient(AdminService, createTransport({ url: failing.url, service: 'sample' }));
  const call = client.createOrganization({}, withToken(await failing.identity.serviceToken('admin')));
  await expect(call).rejects.toMatchObject({
    name: 'ServiceError',
    kind: 'invalid',
    message: 'two fields are wrong',
    fields,
  });
});

test('an unexpected error is logged, and the response does not contain its text', async () => {
  const createOrganization = () => Promise.reject(new Error('connect postgres://u:hunter2@db'));
  await using failing = await startSample({ createOrganization });
  const client = createRpcClient(AdminService, createTransport({ url: failing.url, service: 'sample' }));
  const call = client.createOrganization({}, withToken(await failing.identity.serviceToken('admin')));
  await expect(call).rejects.toMatchObject({ kind: 'internal', message: 'internal error' });
  expect(failing.log.written()).toContainEqual(
    expect.objectContaining({ msg: 'handler failed', method: 'tocsin.identity.v1.AdminService/CreateOrganization' }),
  );
});
