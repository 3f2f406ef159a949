import { Code, type HandlerContext, type Interceptor } from '@connectrpc/connect';
import { ServiceError, toConnectError } from '@tocsin/errors';
import { Counter, Histogram } from 'prom-client';
import { accessOf, checkAccess } from './access.ts';
import { callerKey } from './caller.ts';
import type { TokenVerifier } from './internal-token.ts';
import { isSaneRequestId, REQUEST_ID_HEADER, withRequestId } from './request-id.ts';
import { inRpcSpan } from './rpc-span.ts';
import type { Runtime } from './runtime.ts';
import { contextFromHeaders, SpanKind } from './trace-headers.ts';
import { runValidateOnly, VALIDATE_ONLY_HEADER, validError } from './validate-only.ts';

/** Returns the interceptors for all handlers: tracing, metrics, error mapping and validate-only calls. */
export function serverInterceptors(runtime: Runtime): Interceptor[] {
  // Interceptors run in this order; the first one is the outermost.
  return [traced, observed(runtime), withoutCommit];
}

/**
 * Returns the check that runs before a request's body is read. It verifies the token, checks that the caller may call
 * the method, and stores the caller in the context. The body of a rejected request is neither read nor decompressed.
 */
export function requestGate(
  { service, logger, metrics }: Runtime,
  verifier: TokenVerifier,
): (context: HandlerContext) => Promise<void> {
  const refused = new Counter({
    name: 'tocsin_rpc_refused_total',
    help: 'Requests that were refused for their token before they were read, by method and status code.',
    labelNames: ['method', 'code'],
    registers: [metrics],
  });
  return async (context) => {
    try {
      if (accessOf(context.method).anonymous) return;
      const token = /^Bearer (.+)$/.exec(context.requestHeader.get('authorization') ?? '')?.[1];
      if (!token)
        throw new ServiceError('unauthenticated', 'an internal token is required: authorization: Bearer <token>');
      const caller = await verifier.verify(token, service);
      checkAccess(context.method, caller);
      context.values.set(callerKey, caller);
    } catch (error) {
      const status = toConnectError(error);
      const method = `${context.method.parent.typeName}/${context.method.name}`;
      refused.inc({ method, code: Code[status.code] });
      if (status.code === Code.Internal) logger.error({ err: error, method }, 'verifying the token failed');
      else logger.debug({ method, code: Code[status.code], reason: status.rawMessage }, 'refused');
      throw status;
    }
  };
}

const traced: Interceptor = (next) => (request) => {
  const { method, header } = request;
  const requestId = header.get(REQUEST_ID_HEADER) ?? '';
  const remote = contextFromHeaders({
    traceparent: header.get('traceparent') ?? undefined,
    tracestate: header.get('tracestate') ?? undefined,
  });
  const parent = isSaneRequestId(requestId) ? withRequestId(remote, requestId) : remote;
  return inRpcSpan({ method, kind: SpanKind.SERVER, parent, header }, () => next(request));
};

function observed({ logger, metrics }: Runtime): Interceptor {
  const duration = new Histogram({
    name: 'tocsin_rpc_server_seconds',
    help: 'Time that RPC handlers took, by method and status code.',
    labelNames: ['method', 'code'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [metrics],
  });
  return (next) => async (request) => {
    const method = `${request.method.parent.typeName}/${request.method.name}`;
    const end = duration.startTimer({ method });
    try {
      const response = await next(request);
      const seconds = end({ code: 'ok' });
      logger.debug({ method, ms: Math.round(seconds * 1000) }, 'served');
      return response;
    } catch (error) {
      const status = toConnectError(error);
      end({ code: Code[status.code] });
      if (status.code === Code.Internal || status.code === Code.Unknown)
        logger.error({ err: error, method }, 'handler failed');
      throw status;
    }
  };
}

/**
 * Makes every validate-only call end with an error, so that its response can't be mistaken for the response to a real
 * call.
 */
const withoutCommit: Interceptor = (next) => async (request) => {
  if (!request.header.has(VALIDATE_ONLY_HEADER)) return next(request);
  await runValidateOnly(() => next(request));
  throw validError();
};
