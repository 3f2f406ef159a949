import { context, type Span, trace } from '@opentelemetry/api';
import {
  contextFromHeaders,
  isSaneRequestId,
  REQUEST_ID_HEADER,
  type Runtime,
  SpanKind,
  startSpan,
  withRequestId,
} from '@tocsin/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Histogram } from 'prom-client';
import { SAFE_HEADERS } from './security-headers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined;
  }
  interface FastifyContextConfig {
    /** Whether the path contains a secret. If so, log lines contain only the route. */
    isPathSecret?: boolean;
  }
}

/**
 * Returns the request id: the id from the caller if it is valid, otherwise a new id. Responses, log lines and calls to
 * services contain this id.
 */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && isSaneRequestId(header) ? header : crypto.randomUUID();
}

export function addCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({ [REQUEST_ID_HEADER]: request.id, ...SAFE_HEADERS });
}

/** Adds metrics, a trace span and the request id to each request, and the common headers to each response. */
export function addObservation(app: FastifyInstance, { metrics }: Runtime): void {
  const duration = new Histogram({
    name: 'tocsin_http_seconds',
    help: 'Time that public requests took, by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });
  app.decorateRequest('span', undefined);

  app.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(request, reply);
    const remote = contextFromHeaders({
      traceparent: header(request.headers.traceparent),
      tracestate: header(request.headers.tracestate),
    });
    const route = `${request.method} ${request.routeOptions.url ?? 'unknown'}`;
    request.span = startSpan(route, SpanKind.SERVER, remote);
    context.with(withRequestId(trace.setSpan(remote, request.span), request.id), done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    request.span?.setAttribute('http.response.status_code', reply.statusCode);
    request.span?.end();
    const labels = { route: request.routeOptions.url ?? 'unknown', method: request.method, status: reply.statusCode };
    duration.observe(labels, reply.elapsedTime / 1000);
    const path = request.routeOptions.config.isPathSecret ? undefined : redactPath(request.url);
    request.log.info({ ...labels, path, ms: Math.round(reply.elapsedTime) }, 'request');
    done();
  });
}

/** Matches API keys that callers put into a path by mistake. */
const API_KEY = /tocsin_\w+/g;
const MAX_LOGGED_PATH = 500;

/** Returns the path of a URL with secrets redacted, for logs. */
export function redactPath(url: string): string {
  const [path = ''] = url.split('?');
  return path.replaceAll(API_KEY, 'tocsin_[redacted]').slice(0, MAX_LOGGED_PATH);
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
