import type { DescMethod } from '@bufbuild/protobuf';
import { Code, type Interceptor } from '@connectrpc/connect';
import { ServiceError, toConnectError } from '@tocsin/errors';
import { Histogram } from 'prom-client';
import { callerKey } from './caller.ts';
import { DRY_RUN_HEADER, inDryRun } from './dry-run.ts';
import type { TokenVerifier } from './internal-token.ts';
import { isSaneRequestId, REQUEST_ID_HEADER, withRequestId } from './request-id.ts';
import type { Runtime } from './runtime.ts';
import { contextFromHeaders, inSpan, SpanKind } from './trace-headers.ts';

/** What surrounds every handler: the trace, the clock, the one place that renders errors, and the door. */
export function serverInterceptors(
  runtime: Runtime,
  verifier: TokenVerifier,
  anonymous: ReadonlySet<DescMethod>,
): Interceptor[] {
  // The first one is the outermost.
  return [traced, observed(runtime), authenticated(verifier, anonymous), examined];
}

const traced: Interceptor = (next) => (request) => {
  const { method, header } = request;
  const requestId = header.get(REQUEST_ID_HEADER) ?? '';
  const remote = contextFromHeaders({
    traceparent: header.get('traceparent') ?? undefined,
    tracestate: header.get('tracestate') ?? undefined,
  });
  const parent = isSaneRequestId(requestId) ? withRequestId(remote, requestId) : remote;
  return inSpan(`${method.parent.typeName}/${method.name}`, SpanKind.SERVER, parent, () => next(request));
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

function authenticated(verifier: TokenVerifier, anonymous: ReadonlySet<DescMethod>): Interceptor {
  return (next) => async (request) => {
    if (anonymous.has(request.method)) return next(request);
    const token = /^Bearer (.+)$/.exec(request.header.get('authorization') ?? '')?.[1];
    if (!token)
      throw new ServiceError('unauthenticated', 'an internal token is required: authorization: Bearer <token>');
    request.contextValues.set(callerKey, await verifier.verify(token));
    return next(request);
  };
}

/** A dry run ends with an error in any case: nobody may take its answer for one. */
const examined: Interceptor = (next) => async (request) => {
  if (!request.header.has(DRY_RUN_HEADER)) return next(request);
  await inDryRun(() => next(request));
  throw new ServiceError('invalid', 'a dry run has no answer');
};
