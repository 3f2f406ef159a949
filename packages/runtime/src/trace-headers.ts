import { type Context, context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { tracerOf } from './telemetry.ts';

/** Returns the active trace as headers for the next hop (`traceparent`, `tracestate`). */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Returns the trace context from the headers of the previous hop. */
export function contextFromHeaders(headers: Record<string, string | undefined>): Context {
  return propagation.extract(context.active(), headers);
}

/** Starts a span of the service to which `parent` belongs. */
export function startSpan(name: string, kind: SpanKind, parent: Context): Span {
  return tracerOf(parent).startSpan(name, { kind }, parent);
}

/**
 * Runs `work` in a span. The span ends when `work` ends. If `work` fails and the span is recorded, calls `onError`,
 * which by default marks the span as failed.
 */
export async function inSpan<Result>(
  name: string,
  kind: SpanKind,
  parent: Context,
  work: (span: Span) => Promise<Result>,
  onError: (span: Span, error: unknown) => void = setFailed,
): Promise<Result> {
  const span = startSpan(name, kind, parent);
  try {
    return await context.with(trace.setSpan(parent, span), () => work(span));
  } catch (error) {
    if (span.isRecording()) onError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Marks a span as failed with the message of an error. */
export function setFailed(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
}

export { SpanKind };
