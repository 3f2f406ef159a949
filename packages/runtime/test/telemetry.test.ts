import { context } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { inService, inSpan, SpanKind, startTelemetry, type TelemetryOptions } from '../src/index.ts';

test('in a process of several services, the spans of each service have its name', async () => {
  const exported: string[] = [];
  const exporter: TelemetryOptions['exporter'] = {
    export(spans, done) {
      for (const { name, resource } of spans) exported.push(`${resource.attributes['service.name']}: ${name}`);
      done({ code: 0 });
    },
    shutdown: async () => undefined,
  };
  const telemetry = startTelemetry({ service: 'tocsin', services: ['monitor', 'gateway'], exporter });
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
  await telemetry[Symbol.asyncDispose]();
  expect(exported.sort()).toEqual([
    'tocsin-gateway: request',
    'tocsin-monitor: first',
    'tocsin-monitor: later',
    'tocsin: outside',
  ]);
});
