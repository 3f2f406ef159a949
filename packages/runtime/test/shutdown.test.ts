import { AdminService } from '@tocsin/proto/identity/v1/identity';
import { expect, test } from 'vitest';
import { createRpcClient, createTransport, withToken } from '../src/index.ts';
import { grpcClient, unary } from './grpc-js.ts';
import { startSample } from './sample-server.ts';

/** Starts a server with one call that runs until the test completes it. */
async function startSlowSample() {
  const running = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const sample = await startSample({
    async createOrganization({ name }) {
      running.resolve();
      await finish.promise;
      return { organization: { name } };
    },
  });
  return { sample, running: running.promise, finish: finish.resolve };
}

test('a call that is running during a shutdown gets its response, and new calls are rejected', async () => {
  const { sample, running, finish } = await startSlowSample();
  const options = withToken(await sample.identity.serviceToken('admin'));
  const client = createRpcClient(AdminService, createTransport({ url: sample.url, service: 'sample' }));
  const call = client.createOrganization({ name: 'in time' }, options);
  await running;
  let stopped = false;
  const stopping = sample[Symbol.asyncDispose]().then(() => {
    stopped = true;
  });
  const late = createRpcClient(AdminService, createTransport({ url: sample.url, service: 'sample' }));
  await expect(late.createOrganization({ name: 'too late' }, options)).rejects.toMatchObject({ kind: 'unavailable' });
  expect(stopped).toBe(false);
  finish();
  expect((await call).organization?.name).toBe('in time');
  await stopping;
});

test('a running call of a grpc-js client gets its response during a shutdown', async () => {
  const { sample, running, finish } = await startSlowSample();
  using client = grpcClient(sample.port);
  const token = await sample.identity.serviceToken('admin');
  const call = unary(client, AdminService.method.createOrganization, { name: 'in time' }, { token });
  await running;
  const stopping = sample[Symbol.asyncDispose]();
  finish();
  expect((await call).organization?.name).toBe('in time');
  await stopping;
});

test('idle connections do not delay the shutdown', async () => {
  const sample = await startSample({ web: (_request, response) => response.end('a page') });
  expect(await (await fetch(sample.url)).text()).toBe('a page');
  const client = createRpcClient(AdminService, createTransport({ url: sample.url, service: 'sample' }));
  await client.createOrganization({ name: 'one' }, withToken(await sample.identity.serviceToken('admin')));
  const began = performance.now();
  await sample[Symbol.asyncDispose]();
  // The server closes remaining connections after ten seconds, so an earlier end shows that no connection delayed it.
  expect(performance.now() - began).toBeLessThan(9_000);
});
