import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@tocsin/errors';
import { ApiKeyService } from '@tocsin/proto/identity/v1/api_key';
import { AdminService, IdentityService } from '@tocsin/proto/identity/v1/identity';
import { freePort, startFreezableProxy } from '@tocsin/testing';
import { expect, test } from 'vitest';
import {
  createLogger,
  createRpcClient,
  createTransport,
  forOrganization,
  withToken,
  withTokens,
} from '../src/index.ts';
import { lines } from './log-lines.ts';
import { startSample } from './sample-server.ts';

test('a call to an unreachable server fails with `unavailable`', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const client = createRpcClient(AdminService, createTransport({ url, service: 'sample' }));
  await expect(client.createOrganization({})).rejects.toMatchObject({ name: 'ServiceError', kind: 'unavailable' });
});

test('a client reconnects to a restarted server', async () => {
  const first = await startSample();
  const client = createRpcClient(AdminService, createTransport({ url: first.url, service: 'sample' }));
  const options = async (sample: typeof first) => withToken(await sample.identity.serviceToken('admin'));
  await client.createOrganization({ name: 'one' }, await options(first));
  await first[Symbol.asyncDispose]();
  await expect(client.createOrganization({ name: 'two' }, await options(first))).rejects.toMatchObject({
    kind: 'unavailable',
  });
  await using second = await startSample({ port: first.port });
  const { organization } = await client.createOrganization({ name: 'three' }, await options(second));
  expect(organization?.name).toBe('three');
});

/** Returns a client whose open connection no longer forwards anything. New connections work. */
async function connectToVanishedHost(stack: AsyncDisposableStack, calls = 1) {
  const sample = stack.use(await startSample());
  const proxy = stack.use(await startFreezableProxy(sample.port));
  const url = `http://127.0.0.1:${proxy.port}`;
  const client = createRpcClient(AdminService, createTransport({ url, service: 'sample' }));
  const options = withToken(await sample.identity.serviceToken('admin'));
  for (let call = 0; call < calls; call += 1) await client.createOrganization({ name: 'one' }, options);
  proxy.freeze();
  return { client, options };
}

test.concurrent.each([
  ['a stream of its own', 1],
  ['a shared stream', 30],
])('a connection to a host that vanishes is replaced before the deadline of a call on %s', async (_, calls) => {
  await using stack = new AsyncDisposableStack();
  const { client, options } = await connectToVanishedHost(stack, calls);
  await expect(client.createOrganization({ name: 'two' }, options)).rejects.toMatchObject({ kind: 'unavailable' });
  expect((await client.createOrganization({ name: 'three' }, options)).organization?.name).toBe('three');
});

test('a call on a connection whose host vanished while it was idle succeeds on a new connection', async () => {
  await using stack = new AsyncDisposableStack();
  const { client, options } = await connectToVanishedHost(stack);
  await sleep(3_100);
  expect((await client.createOrganization({ name: 'two' }, options)).organization?.name).toBe('two');
});

test("a call that exceeds its deadline fails with `deadline`, the log names it, and the handler's signal aborts", async () => {
  const received = Promise.withResolvers<void>();
  await using slow = await startSample({
    createOrganization: async (_request, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      received.resolve();
      return {};
    },
  });
  const client = createRpcClient(AdminService, createTransport({ url: slow.url, service: 'sample', timeoutMs: 150 }));
  const call = client.createOrganization({}, withToken(await slow.identity.serviceToken('admin')));
  const error = await call.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'ServiceError', kind: 'deadline', message: 'the operation timed out' });
  await received.promise;
  const log = lines();
  createLogger('sample', 'error', log.stream).error({ err: error }, 'request failed');
  const message = 'the operation timed out: call of tocsin.identity.v1.AdminService/CreateOrganization';
  expect(log.written()).toMatchObject([{ err: { message } }]);
});

test('a call contains a token for the target service and the organization', async () => {
  await using sample = await startSample();
  const tokens = {
    token: (audience: string, organizationId?: string) =>
      sample.identity.serviceToken('notifier', organizationId, audience),
  };
  const connect = (service: string) =>
    createRpcClient(IdentityService, createTransport({ url: sample.url, service, tokens }));
  const { owners } = await connect('sample').listOwners({}, forOrganization('org-7'));
  expect(owners).toMatchObject([{ id: 'org-7' }]);
  await expect(connect('sample').listOwners({})).rejects.toMatchObject({ kind: 'forbidden' });
  const elsewhere = connect('monitor').listOwners({}, forOrganization('org-7'));
  await expect(elsewhere).rejects.toMatchObject({ kind: 'unauthenticated' });
});

test('a call uses the token in its options, and if there are several, the one for the called service', async () => {
  await using sample = await startSample();
  const tokens = { token: () => Promise.reject(new Error('not asked for')) };
  const transport = createTransport({ url: sample.url, service: 'sample', tokens });
  const client = createRpcClient(ApiKeyService, transport);
  const own = await sample.identity.credentialToken('org-8', {}, 'sample');
  expect((await client.getApiKey({}, withToken(own))).apiKey?.name).toBe('org-8');
  const several = { monitor: await sample.identity.credentialToken('org-9', {}, 'monitor'), sample: own };
  expect((await client.getApiKey({}, withTokens(several))).apiKey?.name).toBe('org-8');
});

test('an error while getting a token is thrown unchanged', async () => {
  await using sample = await startSample();
  const failure = new ServiceError('unavailable', 'identity is unavailable');
  const tokens = { token: () => Promise.reject(failure) };
  const client = createRpcClient(AdminService, createTransport({ url: sample.url, service: 'sample', tokens }));
  const error = await client.createOrganization({}).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({ kind: 'unavailable', message: 'identity is unavailable' });
});

test('many concurrent calls with large responses succeed, and so do other calls on the same connection', async () => {
  const text = 'x'.repeat(1024 * 1024);
  await using sample = await startSample({
    createOrganization: async ({ name }) => ({ organization: { name: name === 'large' ? text : name } }),
  });
  const client = createRpcClient(AdminService, createTransport({ url: sample.url, service: 'sample' }));
  const options = withToken(await sample.identity.serviceToken('admin'));
  // By default, Node.js refuses new calls while a connection has 10 MB of unsent data.
  const large = Array.from({ length: 60 }, () => client.createOrganization({ name: 'large' }, options));
  const small = [];
  for (let call = 0; call < 60; call += 1) {
    await new Promise(setImmediate);
    small.push(client.createOrganization({ name: 'small' }, options));
  }
  for (const { organization } of await Promise.all(small)) expect(organization?.name).toBe('small');
  for (const { organization } of await Promise.all(large)) expect(organization?.name).toHaveLength(text.length);
});
