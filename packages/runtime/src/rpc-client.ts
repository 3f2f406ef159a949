import type { DescService } from '@bufbuild/protobuf';
import {
  type CallOptions,
  type Client,
  createClient,
  createContextKey,
  createContextValues,
  type Interceptor,
  type Transport,
} from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { context } from '@opentelemetry/api';
import { fromConnectError } from '@tocsin/errors';
import { currentRequestId, REQUEST_ID_HEADER } from './request-id.ts';
import type { TokenSource } from './service-token.ts';
import { inSpan, SpanKind, traceHeaders } from './trace-headers.ts';

const organizationKey = createContextKey<string | undefined>(undefined, { description: 'organization to act for' });

/** Call options: act as this service, for one organization. */
export function forOrganization(organizationId: string, options: CallOptions = {}): CallOptions {
  return { ...options, contextValues: createContextValues().set(organizationKey, organizationId) };
}

/** Call options: act as who holds this internal token. */
export function withToken(token: string, options: CallOptions = {}): CallOptions {
  return { ...options, headers: { authorization: `Bearer ${token}` } };
}

export interface TransportOptions {
  /** `http://host:port` of the service. */
  readonly url: string;
  /** Where tokens come from for calls that don't bring one; absent: such calls go without. */
  readonly tokens?: TokenSource;
  /** Deadline of a call that names none. */
  readonly timeoutMs?: number;
}

/**
 * The way from one service to another: a deadline, a token, the request id and the trace on every call.
 */
export function createTransport({ url, tokens, timeoutMs = 10_000 }: TransportOptions): Transport {
  return createConnectTransport({
    baseUrl: url,
    httpVersion: '2',
    useBinaryFormat: true,
    defaultTimeoutMs: timeoutMs,
    interceptors: [traced, ...(tokens ? [authorized(tokens)] : [])],
  });
}

/**
 * A client of one RPC service; unary methods only, which is all there is between services. A failed call throws the
 * ServiceError that the other side threw, or `unavailable` when it is away.
 */
export function createRpcClient<Service extends DescService>(service: Service, transport: Transport): Client<Service> {
  // Every method is unary, so every property is such a function.
  const client = createClient(service, transport) as Record<string, UnaryCall>;
  const methods: Record<string, UnaryCall> = {};
  for (const [name, call] of Object.entries(client)) {
    // Not an interceptor: Connect wraps what one throws.
    methods[name] = async (request, options) => {
      try {
        return await call(request, options);
      } catch (error) {
        throw fromConnectError(error);
      }
    };
  }
  // The same methods with the same types; only what they throw differs.
  return methods as Client<Service>;
}

type UnaryCall = (request: unknown, options?: CallOptions) => Promise<unknown>;

const traced: Interceptor = (next) => (request) =>
  inSpan(`${request.method.parent.typeName}/${request.method.name}`, SpanKind.CLIENT, context.active(), () => {
    const requestId = currentRequestId();
    if (requestId) request.header.set(REQUEST_ID_HEADER, requestId);
    for (const [name, value] of Object.entries(traceHeaders())) request.header.set(name, value);
    return next(request);
  });

function authorized(tokens: TokenSource): Interceptor {
  return (next) => async (request) => {
    if (!request.header.has('authorization')) {
      const token = await tokens.token(request.contextValues.get(organizationKey));
      request.header.set('authorization', `Bearer ${token}`);
    }
    return next(request);
  };
}
