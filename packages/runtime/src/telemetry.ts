import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
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
  /** Exporter of spans. Without an exporter, no spans are recorded, but trace ids are still passed on and logged. */
  readonly exporter?: SpanExporter | undefined;
  /** Fraction of traces that are recorded, from 0 to 1. */
  readonly ratio?: number | undefined;
  /** Milliseconds between two exports. */
  readonly exportEveryMs?: number | undefined;
}

/**
 * Reads the telemetry options from the standard variables: OTEL_EXPORTER_OTLP_(TRACES_)ENDPOINT is the receiver of
 * spans, OTEL_TRACES_SAMPLER_ARG the fraction of traces that are recorded, and OTEL_BSP_SCHEDULE_DELAY the milliseconds
 * between two exports. Invalid numbers are ignored. Loads the exporter only if there is a receiver, because it consists
 * of more than 100 modules.
 */
export async function telemetryFromEnvironment(env: NodeJS.ProcessEnv): Promise<Omit<TelemetryOptions, 'service'>> {
  const number = (name: string, max: number) => {
    const value = Number(env[name] || Number.NaN);
    return value >= 0 && value <= max ? value : undefined;
  };
  const configured = env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  return {
    exporter: configured ? await createExporter() : undefined,
    ratio: number('OTEL_TRACES_SAMPLER_ARG', 1),
    exportEveryMs: number('OTEL_BSP_SCHEDULE_DELAY', 3_600_000),
  };
}

async function createExporter(): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  return new OTLPTraceExporter();
}

/**
 * Starts tracing of this process with W3C trace context. Call it once per process. Disposing exports the remaining
 * spans.
 */
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
