import { trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { pino } from 'pino';
import { currentRequestId } from './request-id.ts';

export type { Logger };

/** Keys whose values are never written, at any of the depths where requests, errors and configurations carry them. */
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

/** JSON lines on stdout, each with the service, and with request and trace id where there is one. */
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
