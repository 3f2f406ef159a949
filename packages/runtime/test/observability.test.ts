import { context, trace } from '@opentelemetry/api';
import { AdminService } from '@tocsin/proto/identity/v1/identity';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createLogger,
  createRpcClient,
  createTransport,
  currentRequestId,
  inSpan,
  SpanKind,
  startTelemetry,
  withRequestId,
  withToken,
} from '../src/index.ts';
import { lines } from './log-lines.ts';
import { type Sample, startSample } from './sample-server.ts';

const canary = 'canary-5f1d';
let telemetry: AsyncDisposable;
let sample: Sample;

beforeAll(async () => {
  telemetry = startTelemetry({ service: 'sample' });
  sample = await startSample({
    async createOrganization({ name }) {
      sample.runtime.logger.info('handling');
      if (name === 'fail') throw new Error('broken');
      return {
        organization: { name: currentRequestId() ?? 'none' },
        ownerId: trace.getActiveSpan()?.spanContext().traceId ?? '',
      };
    },
  });
});

afterAll(async () => {
  await sample[Symbol.asyncDispose]();
  await telemetry[Symbol.asyncDispose]();
});

test('secrets are redacted at every depth of a log line', () => {
  const log = lines();
  const logger = createLogger('monitor', 'debug', log.stream);
  const headers = { authorization: `Bearer ${canary}`, accept: '*/*' };
  logger.info({ authorization: canary, token: canary, password: canary, secret: canary, apiKey: canary }, 'flat');
  logger.info({ headers, request: { headers }, monitor: { config: { url: canary }, secrets: [canary] } }, 'nested');
  logger.info({ config: { databaseUrl: canary }, configJson: canary, api_key: canary, key: canary }, 'configuration');
  logger.child({ token: canary }).warn('child');
  logger.error({ err: Object.assign(new Error('failed'), { token: canary, headers }) }, 'error');
  expect(log.written()).toHaveLength(5);
  expect(log.text()).not.toContain(canary);
  expect(log.written()[1]).toMatchObject({ headers: { authorization: '[secret]', accept: '*/*' } });
});

test('the log does not contain the token of a call, even if the call fails', async () => {
  const token = await sample.identity.serviceToken('admin');
  const client = createRpcClient(AdminService, createTransport({ url: sample.url, service: 'sample' }));
  await client.createOrganization({ name: 'ok' }, withToken(token));
  await expect(client.createOrganization({ name: 'fail' }, withToken(token))).rejects.toThrow();
  await expect(client.createOrganization({}, withToken(`${token}x`))).rejects.toThrow();
  expect(sample.log.text()).toContain('handling');
  expect(sample.log.text()).not.toContain(token);
});

test('a service that is called gets the request id and the trace id of the caller, and logs them', async () => {
  const client = createRpcClient(AdminService, createTransport({ url: sample.url, service: 'sample' }));
  const options = withToken(await sample.identity.serviceToken('admin'));
  const { here, there } = await context.with(withRequestId(context.active(), 'req-42'), () =>
    inSpan('outside', SpanKind.INTERNAL, context.active(), async (span) => ({
      here: span.spanContext().traceId,
      there: await client.createOrganization({}, options),
    })),
  );
  expect(there).toMatchObject({ ownerId: here, organization: { name: 'req-42' } });
  expect(sample.log.written()).toContainEqual(
    expect.objectContaining({ msg: 'handling', service: 'sample', request_id: 'req-42', trace_id: here }),
  );
});

test('a request id that could forge a log line is replaced', async () => {
  const client = createRpcClient(AdminService, createTransport({ url: sample.url, service: 'sample' }));
  const token = await sample.identity.serviceToken('admin');
  for (const id of ['two words', 'x'.repeat(129), '"}{']) {
    const headers = { authorization: `Bearer ${token}`, 'x-request-id': id };
    expect((await client.createOrganization({}, { headers })).organization?.name).toBe('none');
  }
});

test('metrics count calls by method and status code', async () => {
  const client = createRpcClient(AdminService, createTransport({ url: sample.url, service: 'sample' }));
  await client.createOrganization({}, withToken(await sample.identity.serviceToken('admin')));
  await expect(client.createOrganization({})).rejects.toThrow();
  const metrics = await sample.runtime.metrics.metrics();
  const method = 'tocsin.identity.v1.AdminService/CreateOrganization';
  expect(metrics).toMatch(new RegExp(`tocsin_rpc_server_seconds_count\\{.*method="${method}",code="ok"`));
  expect(metrics).toMatch(new RegExp(`tocsin_rpc_refused_total\\{.*method="${method}",code="Unauthenticated"`));
});
