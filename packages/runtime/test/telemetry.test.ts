import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { context, type SpanStatus, SpanStatusCode } from '@opentelemetry/api';
import { AdminService } from '@tocsin/proto/identity/v1/identity';
import { eventually } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import {
  createRpcClient,
  createTransport,
  inService,
  inSpan,
  SpanKind,
  startTelemetry,
  type TelemetryOptions,
  withToken,
} from '../src/index.ts';
import { startSample } from './sample-server.ts';

/** Names of the exported spans, each after the name of its service. */
const exported: string[] = [];
/** Exported spans of RPC calls. */
const calls: { kind: SpanKind; status: SpanStatus; attributes: object }[] = [];
const exporter: TelemetryOptions['exporter'] = {
  export(spans, done) {
    for (const { name, resource, kind, status, attributes } of spans) {
      exported.push(`${resource.attributes['service.name']}: ${name}`);
      if (kind === SpanKind.CLIENT || kind === SpanKind.SERVER) calls.push({ kind, status, attributes });
    }
    done({ code: 0 });
  },
  shutdown: async () => undefined,
};
const telemetry = startTelemetry({
  service: 'tocsin',
  services: ['monitor', 'gateway'],
  exporter,
  exportEveryMs: 10,
});
afterAll(() => telemetry[Symbol.asyncDispose]());

test('in a process of several services, the spans of each service have its name', async () => {
  const work = (name: string) => inSpan(name, SpanKind.INTERNAL, context.active(), async () => undefined);
  await Promise.all([
    inService('monitor', async () => {
      await work('first');
      // Work that a service has started belongs to it, whatever called it.
      await new Promise((resolve) => setTimeout(resolve));
      await work('later');
    }),
    inService('gateway', () => work('request')),
    work('outside'),
  ]);
  await eventually(() =>
    expect(exported.toSorted()).toEqual([
      'tocsin-gateway: request',
      'tocsin-monitor: first',
      'tocsin-monitor: later',
      'tocsin: outside',
    ]),
  );
});

test('calls that arrive over the network belong to the service of the server', async () => {
  await using sample = await inService('monitor', () => startSample());
  const client = createRpcClient(AdminService, createTransport({ url: sample.url, service: 'sample' }));
  const admin = withToken(await sample.identity.serviceToken('admin'));
  exported.length = 0;
  const count = 30;
  for (let call = 0; call < count; call += 1) await client.createOrganization({ name: 'Acme' }, admin);
  await eventually(() => expect(exported).toHaveLength(2 * count));
  expect(exported.filter((span) => span.startsWith('tocsin-monitor: '))).toHaveLength(count);
});

const { UNSET, ERROR } = SpanStatusCode;

test.each<[Code | undefined, string | undefined, SpanStatusCode, SpanStatusCode]>([
  [undefined, undefined, UNSET, UNSET],
  [Code.InvalidArgument, 'invalid_argument', UNSET, ERROR],
  [Code.NotFound, 'not_found', UNSET, ERROR],
  [Code.PermissionDenied, 'permission_denied', UNSET, ERROR],
  [Code.Unauthenticated, 'unauthenticated', UNSET, ERROR],
  [Code.AlreadyExists, 'already_exists', UNSET, ERROR],
  [Code.FailedPrecondition, 'failed_precondition', UNSET, ERROR],
  [Code.ResourceExhausted, 'resource_exhausted', UNSET, ERROR],
  [Code.Canceled, 'cancelled', UNSET, ERROR],
  [Code.Unknown, 'unknown', ERROR, ERROR],
  [Code.DeadlineExceeded, 'deadline_exceeded', ERROR, ERROR],
  [Code.Unimplemented, 'unimplemented', ERROR, ERROR],
  [Code.Internal, 'internal', ERROR, ERROR],
  [Code.Unavailable, 'unavailable', ERROR, ERROR],
  [Code.DataLoss, 'data_loss', ERROR, ERROR],
])(
  'the spans of a call with the code %s have the error code %s, the status %s at the server and %s at the client',
  async (code, name, server, client) => {
    await using sample = await startSample({
      createOrganization: async () => {
        if (code !== undefined) throw new ConnectError('refused', code);
        return {};
      },
    });
    const rpc = createRpcClient(AdminService, createTransport({ url: sample.url, service: 'sample' }));
    const admin = withToken(await sample.identity.serviceToken('admin'));
    calls.length = 0;
    await rpc.createOrganization({}, admin).catch(() => undefined);
    await eventually(() => expect(calls).toHaveLength(2));
    expect(new Map(calls.map(({ kind, status }) => [kind, status.code]))).toEqual(
      new Map([
        [SpanKind.SERVER, server],
        [SpanKind.CLIENT, client],
      ]),
    );
    const attributes = {
      'rpc.system': 'connect_rpc',
      'rpc.service': 'tocsin.identity.v1.AdminService',
      'rpc.method': 'CreateOrganization',
      ...(name !== undefined && { 'rpc.connect_rpc.error_code': name }),
    };
    expect(calls.map((call) => call.attributes)).toEqual([attributes, attributes]);
  },
);

test('the span of a call over gRPC has the attributes of gRPC', async () => {
  await using sample = await startSample({
    createOrganization: async () => {
      throw new ConnectError('refused', Code.NotFound);
    },
  });
  const client = createClient(AdminService, createGrpcTransport({ baseUrl: sample.url }));
  const admin = withToken(await sample.identity.serviceToken('admin'));
  calls.length = 0;
  await client.createOrganization({}, admin).catch(() => undefined);
  await eventually(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.attributes).toEqual({
    'rpc.system': 'grpc',
    'rpc.service': 'tocsin.identity.v1.AdminService',
    'rpc.method': 'CreateOrganization',
    'rpc.grpc.status_code': Code.NotFound,
  });
});
