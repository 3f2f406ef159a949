import { context } from '@opentelemetry/api';
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
const exporter: TelemetryOptions['exporter'] = {
  export(spans, done) {
    for (const { name, resource } of spans) exported.push(`${resource.attributes['service.name']}: ${name}`);
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
  const calls = 30;
  for (let call = 0; call < calls; call += 1) await client.createOrganization({ name: 'Acme' }, admin);
  await eventually(() => expect(exported).toHaveLength(2 * calls));
  expect(exported.filter((span) => span.startsWith('tocsin-monitor: '))).toHaveLength(calls);
});
