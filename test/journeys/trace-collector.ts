import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from '@tocsin/runtime';

export interface Span {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly id: string;
  /** Id of the parent span; undefined for the root span. */
  readonly parentId: string | undefined;
}

/** Receives OpenTelemetry exports like a collector. */
export interface TraceCollector extends AsyncDisposable {
  /** Value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  /** All spans received so far. */
  readonly spans: readonly Span[];
}

/** Fields of an ExportTraceServiceRequest that the tests read (OTLP 1, JSON encoding). */
interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
    };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
      }[];
    }[];
  }[];
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    if (request.url === '/v1/traces') spans.push(...spansOf((await json(request)) as Exported));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  const port = await listen(server, '127.0.0.1', 0);
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansOf({ resourceSpans }: Exported): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    return scopeSpans
      .flatMap((scope) => scope.spans)
      .map(({ name, traceId, spanId, parentSpanId }) => ({
        service,
        name,
        traceId,
        id: spanId,
        parentId: parentSpanId || undefined,
      }));
  });
}
