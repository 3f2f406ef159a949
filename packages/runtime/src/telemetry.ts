import { type Context, context, createContextKey, propagation, type Tracer, trace } from '@opentelemetry/api';
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

/** Name of the product, which is the beginning of the names of its services in traces. */
const PRODUCT = 'tocsin';

export interface TelemetryOptions {
  /** Name of the service, or `tocsin` for a process of several services. */
  readonly service: string;
  /** Services in this process whose spans get their names: see inService(). Defaults to none. */
  readonly services?: readonly string[];
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

const SERVICE = createContextKey('tocsin.service');

/** Tracers of the services in this process, by service. */
const tracers = new Map<string, Tracer>();

/**
 * Runs `work`, and everything that it starts, as a part of a service in a process of several services. Spans get the
 * name of this service instead of that of the process.
 */
export function inService<Result>(service: string, work: () => Result): Result {
  return context.with(context.active().setValue(SERVICE, service), work);
}

/** Returns the tracer of the service to which a context belongs, by default that of the process. */
export function tracerOf(from: Context): Tracer {
  return tracers.get(String(from.getValue(SERVICE))) ?? trace.getTracer(PRODUCT);
}

/**
 * Starts tracing of this process with W3C trace context. Call it once per process. Disposing exports the remaining
 * spans.
 */
export function startTelemetry({
  service,
  services = [],
  exporter,
  ratio = 1,
  exportEveryMs = 5_000,
}: TelemetryOptions): AsyncDisposable {
  const sampler = exporter
    ? new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) })
    : new AlwaysOffSampler();
  // All services share the processor, so that their spans are exported together.
  const spanProcessors = exporter ? [new BatchSpanProcessor({ exporter, scheduledDelayMillis: exportEveryMs })] : [];
  const providerFor = (name: string) =>
    new TracerProvider({
      resource: defaultResource().merge(resourceFromAttributes({ 'service.name': name })),
      sampler,
      spanProcessors,
    });
  const provider = providerFor(service === PRODUCT ? PRODUCT : nameOf(service));
  for (const each of services) tracers.set(each, providerFor(nameOf(each)).getTracer(PRODUCT));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    async [Symbol.asyncDispose]() {
      tracers.clear();
      await provider.shutdown();
    },
  };
}

function nameOf(service: string): string {
  return `${PRODUCT}-${service}`;
}
