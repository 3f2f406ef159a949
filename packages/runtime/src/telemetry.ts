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
  readonly ratio?: number | undefined;
  /** Milliseconds between two exports. */
  readonly exportEveryMs?: number | undefined;
}

/**
 * What the standard variables say: OTEL_EXPORTER_OTLP_(TRACES_)ENDPOINT where spans go, OTEL_TRACES_SAMPLER_ARG the
 * share that is recorded, OTEL_BSP_SCHEDULE_DELAY the milliseconds between two exports. An invalid number counts as
 * not set.
 */
export function telemetryFromEnvironment(env: NodeJS.ProcessEnv): Omit<TelemetryOptions, 'service'> {
  const number = (name: string, max: number) => {
    const value = Number(env[name] || Number.NaN);
    return value >= 0 && value <= max ? value : undefined;
  };
  const configured = env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  return {
    exporter: configured ? new OTLPTraceExporter() : undefined,
    ratio: number('OTEL_TRACES_SAMPLER_ARG', 1),
    exportEveryMs: number('OTEL_BSP_SCHEDULE_DELAY', 3_600_000),
  };
}

/** Makes this process part of W3C traces. Once per process; disposing flushes what was recorded. */
export function startTelemetry({
  service,
  exporter,
  ratio = 1,
  exportEveryMs = 5_000,
}: TelemetryOptions): AsyncDisposable {
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': `tocsin-${service}` })),
    sampler: exporter ? new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }) : new AlwaysOffSampler(),
    spanProcessors: exporter ? [new BatchSpanProcessor({ exporter, scheduledDelayMillis: exportEveryMs })] : [],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return { [Symbol.asyncDispose]: () => provider.shutdown() };
}
