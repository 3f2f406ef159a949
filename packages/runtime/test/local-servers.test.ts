import { AsyncLocalStorage } from 'node:async_hooks';
import { AdminService } from '@tocsin/proto/identity/v1/identity';
import { expect, test } from 'vitest';
import { createRpcClient, createTransport, withToken } from '../src/index.ts';
import { callLocalServersDirectly } from '../src/local-servers.ts';
import { peerAddress } from '../src/peer-address.ts';
import { type Sample, startSample } from './sample-server.ts';

callLocalServersDirectly();

const clientOf = ({ url }: Sample, timeoutMs = 10_000) =>
  createRpcClient(AdminService, createTransport({ url, service: 'sample', timeoutMs }));
const asAdmin = async ({ identity }: Sample) => withToken(await identity.serviceToken('admin'));

const connections = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

test('a call to a server in this process opens no connection and has the peer address 127.0.0.1', async () => {
  const before = connections();
  let during = 0;
  await using sample = await startSample({
    createOrganization: async ({ name }, context) => {
      during = connections();
      return { organization: { name: `${name} from ${peerAddress(context)}` } };
    },
  });
  const { organization } = await clientOf(sample).createOrganization({ name: 'Acme' }, await asAdmin(sample));
  expect(organization?.name).toBe('Acme from 127.0.0.1');
  expect(during).toBe(before);
});

test('a call without a token, or with a token that does not permit it, is refused', async () => {
  await using sample = await startSample();
  await expect(clientOf(sample).createOrganization({})).rejects.toMatchObject({ kind: 'unauthenticated' });
  const wrong = withToken(await sample.identity.serviceToken('notifier'));
  await expect(clientOf(sample).createOrganization({}, wrong)).rejects.toMatchObject({ kind: 'forbidden' });
});

test('a call with too large a request body is refused', async () => {
  await using sample = await startSample();
  const call = clientOf(sample).createOrganization({ name: 'x'.repeat(5 * 1024 * 1024) }, await asAdmin(sample));
  await expect(call).rejects.toMatchObject({ name: 'ServiceError' });
});

test("a call that exceeds its deadline fails with `deadline`, and the handler's signal aborts", async () => {
  const aborted = Promise.withResolvers<void>();
  await using sample = await startSample({
    createOrganization: async (_request, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      aborted.resolve();
      return {};
    },
  });
  const call = clientOf(sample, 150).createOrganization({}, await asAdmin(sample));
  await expect(call).rejects.toMatchObject({ name: 'ServiceError', kind: 'deadline' });
  await aborted.promise;
});

test('a handler does not run in the asynchronous context of its caller', async () => {
  const storage = new AsyncLocalStorage<string>();
  await using sample = await startSample({
    createOrganization: async () => ({ organization: { name: storage.getStore() ?? 'no context' } }),
  });
  const options = await asAdmin(sample);
  const { organization } = await storage.run('of the caller', () => clientOf(sample).createOrganization({}, options));
  expect(organization?.name).toBe('no context');
});

test('a stopping server waits for its running calls, and clients then reach a new server at the same address', async () => {
  const began = Promise.withResolvers<void>();
  const proceed = Promise.withResolvers<void>();
  const first = await startSample({
    createOrganization: async () => {
      began.resolve();
      await proceed.promise;
      return {};
    },
  });
  const options = await asAdmin(first);
  const call = clientOf(first).createOrganization({}, options);
  const outcome = call.then(
    () => 'done',
    () => 'failed',
  );
  await began.promise;
  let isStopped = false;
  const stopping = first[Symbol.asyncDispose]().then(() => {
    isStopped = true;
  });
  await expect(clientOf(first).createOrganization({}, options)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(isStopped).toBe(false);
  proceed.resolve();
  await stopping;
  await outcome;
  await using second = await startSample({ port: first.port });
  const { organization } = await clientOf(second).createOrganization({ name: 'Acme' }, await asAdmin(second));
  expect(organization?.name).toBe('Acme');
});
