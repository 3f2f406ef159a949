import { trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { pino } from 'pino';
import { currentRequestId } from './request-id.ts';

export type { Logger };

/** Keys whose values are redacted, at all depths at which requests, errors and configurations have them. */
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
 * Returns a logger that writes JSON lines to stdout, with the service and, if there are any, the request and trace ids.
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
