import { trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { pino } from 'pino';
import { currentRequestId } from './request-id.ts';

export type { Logger };

/** Keys whose values are redacted, at every depth at which they occur in requests, errors and configurations. */
const SECRET_KEYS = [
  'authorization',
  'password',
  'secret',
  'secrets',
  'token',
  'api_key',
  'apiKey',
  'key',
  'config',
  'configJson',
];

/**
 * Returns a logger that writes JSON lines to stdout. Each line contains the service and, if present, the ids of the
 * request and the trace.
 */
export function createLogger(service: string, level: string, destination?: NodeJS.WritableStream): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[secret]' },
      mixin() {
        const span = trace.getActiveSpan()?.spanContext();
        const requestId = currentRequestId();
        return {
          ...(requestId && { request_id: requestId }),
          ...(span && { trace_id: span.traceId, span_id: span.spanId }),
        };
      },
    },
    destination ?? pino.destination({ sync: false }),
  );
}
