import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

export interface TelemetryOptions {
  readonly service: string;
  /** Where spans go; without it trace ids still flow through logs and headers, and nothing is recorded. */
  readonly exporter?: SpanExporter | undefined;
  /** Share of traces to record, 0 to 1. */
  readonly ratio?: number;
}

/** An exporter as the standard OTEL_EXPORTER_OTLP_* variables describe it, or none. */
export function exporterFromEnvironment(env: NodeJS.ProcessEnv): SpanExporter | undefined {
  return env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
    ? new OTLPTraceExporter()
    : undefined;
}

/** Makes this process part of W3C traces. Once per process; disposing flushes what was recorded. */
export function startTelemetry({ service, exporter, ratio = 1 }: TelemetryOptions): AsyncDisposable {
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': `tocsin-${service}` })),
    sampler: exporter ? new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }) : new AlwaysOffSampler(),
    spanProcessors: exporter ? [new BatchSpanProcessor({ exporter })] : [],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return { [Symbol.asyncDispose]: () => provider.shutdown() };
}
