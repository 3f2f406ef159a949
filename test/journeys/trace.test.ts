import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Network, startNetwork } from '../network.ts';
import { type Span, startTraceCollector, type TraceCollector } from './trace-collector.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpan = '00f067aa0ba902b7';

let collector: TraceCollector;

describe.each(['separate', 'one'])('with TOCSIN_PROCESSES=%s', (processes) => {
  const stack = new AsyncDisposableStack();
  let network: Network;
  beforeAll(async () => {
    collector = stack.use(await startTraceCollector());
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '100' };
    network = stack.use(await startNetwork({ TOCSIN_PROCESSES: processes, ...traced }));
  });
  afterAll(() => stack.disposeAsync());

  test('one trace contains a request, the gateway, the service, its event and the consumers of the event', async () => {
    const response = await network.api.send(
      'POST',
      '/api/v1/monitors',
      { name: 'Broken', check_type: 'http', config: { url: 'http://127.0.0.1:1/' }, confirm_down_minutes: 0 },
      { traceparent: `00-${traceId}-${callerSpan}-01`, 'x-request-id': 'traced-request' },
    );
    expect(response).toMatchObject({ status: 201 });
    expect(response.headers.get('x-request-id')).toBe('traced-request');

    const request = await theSpan('tocsin-gateway', 'POST /api/v1/monitors');
    expect(request.parentId).toBe(callerSpan);
    const create = await theSpan('tocsin-monitor', 'tocsin.monitor.v1.MonitorService/CreateMonitor');
    expect(ancestorsOf(create)).toContain(request.id);
    for (const service of ['tocsin-notifier', 'tocsin-disruption', 'tocsin-statuspage']) {
      const consumed = await theSpan(service, 'consume event.tocsin.monitor.v1.MonitorCreated');
      expect(ancestorsOf(consumed), service).toEqual(expect.arrayContaining([create.id, request.id, callerSpan]));
    }
  });

  test('one trace contains a check result and all steps to the public page', async () => {
    const verdict = await eventually(() => {
      const found = collector.spans.find(
        ({ service, name }) =>
          service === 'tocsin-disruption' && name === 'consume event.tocsin.monitor.v1.MonitorStateChanged',
      );
      if (!found) throw new Error('disruption did not get the state');
      return found;
    });
    const opened = await theSpan(
      'tocsin-statuspage',
      'consume event.tocsin.disruption.v1.DisruptionCreated',
      verdict.traceId,
    );
    expect(ancestorsOf(opened)).toContain(verdict.id);
  });
});

/** Waits for the first span with this name in the trace, and returns it. */
function theSpan(service: string, name: string, inTrace = traceId): Promise<Span> {
  return eventually(() => {
    const ofTrace = collector.spans.filter((span) => span.traceId === inTrace);
    const found = ofTrace.find((span) => span.service === service && span.name === name);
    if (found) return found;
    const seen = ofTrace.map((span) => `${span.service}: ${span.name}`).join('\n');
    throw new Error(`${service} has no span "${name}" in trace ${inTrace}, which consists of\n${seen}`);
  });
}

/** Returns the ids of a span's ancestors, nearest first. */
function ancestorsOf(span: Span): string[] {
  if (span.parentId === undefined) return [];
  const parent = collector.spans.find(({ id, traceId: ofTrace }) => id === span.parentId && ofTrace === span.traceId);
  return [span.parentId, ...(parent ? ancestorsOf(parent) : [])];
}
