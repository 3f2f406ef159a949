import { status } from '@grpc/grpc-js';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '@tocsin/proto/grpc/health/v1/health';
import { AdminService } from '@tocsin/proto/identity/v1/identity';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { grpcClient, streaming, unary } from './grpc-js.ts';
import { type Sample, startSample } from './sample-server.ts';

let sample: Sample;

beforeEach(async () => {
  sample = await startSample();
});

afterEach(() => sample[Symbol.asyncDispose]());

test('the server and each of its services are SERVING while the server is ready', async () => {
  using client = grpcClient(sample.port);
  for (const service of ['', AdminService.typeName]) {
    expect((await unary(client, Health.method.check, { service })).status).toBe(Serving.NOT_SERVING);
  }
  sample.runtime.readiness.started();
  for (const service of ['', AdminService.typeName]) {
    expect((await unary(client, Health.method.check, { service })).status).toBe(Serving.SERVING);
  }
});

test('the health check of an unknown service returns NOT_FOUND', async () => {
  using client = grpcClient(sample.port);
  const check = unary(client, Health.method.check, { service: 'tocsin.nothing.v1.NothingService' });
  await expect(check).rejects.toMatchObject({ code: status.NOT_FOUND });
});

test('a watcher gets each health status change', async () => {
  using client = grpcClient(sample.port);
  using watch = streaming(client, Health.method.watch);
  watch.send({ service: '' });
  watch.end();
  const next = async () => (await watch.next()).status;
  expect(await next()).toBe(Serving.NOT_SERVING);
  sample.runtime.readiness.started();
  expect(await next()).toBe(Serving.SERVING);
  sample.runtime.readiness.stopping();
  expect(await next()).toBe(Serving.NOT_SERVING);
});

test('watchers do not delay the shutdown of the server', async () => {
  using client = grpcClient(sample.port);
  using watch = streaming(client, Health.method.watch);
  watch.send({ service: '' });
  watch.end();
  await watch.next();
  const began = performance.now();
  await sample[Symbol.asyncDispose]();
  // The server closes remaining connections after ten seconds, so an earlier end shows that no connection delayed it.
  expect(performance.now() - began).toBeLessThan(9_000);
});
