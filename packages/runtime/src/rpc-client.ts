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
const tokensKey = createContextKey<TokensByService | undefined>(undefined, { description: 'tokens of the caller' });

/** Internal tokens by the service that each is good for. */
export type TokensByService = Readonly<Record<string, string>>;

/** Call options: act as this service, for one organization. */
export function forOrganization(organizationId: string, options: CallOptions = {}): CallOptions {
  return { ...options, contextValues: createContextValues().set(organizationKey, organizationId) };
}

/** Call options: act as the caller to whom these tokens were issued; each transport sends the one of its service. */
export function withTokens(tokens: TokensByService, options: CallOptions = {}): CallOptions {
  return { ...options, contextValues: createContextValues().set(tokensKey, tokens) };
}

/** Call options: act as the holder of this internal token. */
export function withToken(token: string, options: CallOptions = {}): CallOptions {
  return { ...options, headers: { authorization: `Bearer ${token}` } };
}

export interface TransportOptions {
  /** `http://host:port` of the service. */
  readonly url: string;
  /** Name of the service at that address: tokens that are sent there are good there alone. */
  readonly service: string;
  /** Where tokens come from for calls that don't bring one; absent: such calls go without. */
  readonly tokens?: TokenSource;
  /** Deadline of a call that names none. */
  readonly timeoutMs?: number;
}

/** Returns a connection to one service that adds a deadline, a token, the request id and the trace to every call. */
export function createTransport({ url, service, tokens, timeoutMs = 10_000 }: TransportOptions): Transport {
  return createConnectTransport({
    baseUrl: url,
    httpVersion: '2',
    useBinaryFormat: true,
    defaultTimeoutMs: timeoutMs,
    // Services are close to each other: compressing costs more than it saves.
    acceptCompression: [],
    interceptors: [traced, authorized(service, tokens)],
  });
}

/**
 * A client of one RPC service; unary methods only, which is all there is between services. A failed call throws the
 * ServiceError that the other side threw, or `unavailable` when it is unavailable.
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

function authorized(service: string, source: TokenSource | undefined): Interceptor {
  return (next) => async (request) => {
    if (!request.header.has('authorization')) {
      const { contextValues } = request;
      const token =
        contextValues.get(tokensKey)?.[service] ?? (await source?.token(service, contextValues.get(organizationKey)));
      if (token !== undefined) request.header.set('authorization', `Bearer ${token}`);
    }
    return next(request);
  };
}
