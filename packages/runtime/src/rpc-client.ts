import { connect, isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { DescService } from '@bufbuild/protobuf';
import {
  type CallOptions,
  type Client,
  type ContextValues,
  createClient,
  createContextKey,
  createContextValues,
  type Transport,
} from '@connectrpc/connect';
import { context } from '@opentelemetry/api';
import { fromConnectError } from '@tocsin/errors';
import { HTTP2_OPTIONS, WideSessionManager } from './http2-session.ts';
import { preferLocal } from './local-servers.ts';
import { ReplicasTransport } from './replicas-transport.ts';
import { currentRequestId, REQUEST_ID_HEADER } from './request-id.ts';
import { inRpcSpan } from './rpc-span.ts';
import type { TokenSource } from './service-token.ts';
import { overSharedStream } from './shared-stream-client.ts';
import type { Tls } from './tls.ts';
import { SpanKind, traceHeaders } from './trace-headers.ts';
import { overHttp2, UnaryTransport } from './unary-transport.ts';

const organizationKey = createContextKey<string | undefined>(undefined, { description: 'organization to act for' });
const tokensKey = createContextKey<TokensByService | undefined>(undefined, { description: 'tokens of the caller' });

/** Internal tokens, by the service that accepts them. */
export type TokensByService = Readonly<Record<string, string>>;

/** Returns call options to act as this service for an organization. */
export function forOrganization(organizationId: string, options: CallOptions = {}): CallOptions {
  return { ...options, contextValues: createContextValues().set(organizationKey, organizationId) };
}

/** Returns call options to act as the holder of these tokens. Each transport sends the token of its service. */
export function withTokens(tokens: TokensByService, options: CallOptions = {}): CallOptions {
  return { ...options, contextValues: createContextValues().set(tokensKey, tokens) };
}

/** Returns call options to act as the holder of this token. */
export function withToken(token: string, options: CallOptions = {}): CallOptions {
  return { ...options, headers: { authorization: `Bearer ${token}` } };
}

export interface TransportOptions {
  /** URL of the service, in the form `http://host:port`, or `https://host:port` with TLS. */
  readonly url: string;
  /** Certificates of this process; undefined without TLS between services. */
  readonly tls?: Tls | undefined;
  /** Name of the service at the URL, which must be the audience of tokens for calls to it. */
  readonly service: string;
  /** Source of tokens for calls whose options contain no token; if absent, such calls are sent without a token. */
  readonly tokens?: TokenSource;
  /** Default timeout of a call, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * Returns connections to one service. They add a deadline, a token, the request id and the trace to every call. If the
 * URL has a host name, the calls are distributed over the replicas at all addresses of this name.
 * @throws Error if `tls` is set but the URL does not begin with `https:`.
 */
export function createTransport(options: TransportOptions): Transport {
  const { hostname, protocol } = new URL(options.url);
  if (options.tls && protocol !== 'https:') {
    throw new Error(`TOCSIN_TLS_DIR is set, so the URL of ${options.service} must begin with https: ${options.url}`);
  }
  const name = bare(hostname);
  if (name === 'localhost' || isIP(name)) return connectTo(options.url, name, options);
  return new ReplicasTransport(options.url, (url) => connectTo(url, name, options));
}

/** Connects to a service. `name` is the host for which the certificate of the service has to be valid. */
function connectTo(baseUrl: string, name: string, options: TransportOptions): Transport {
  const { service, tokens, tls, timeoutMs = 10_000 } = options;
  const createConnection = tls
    ? (authority: URL) => refusable(secureInTime(authority, tls.connect({ ...addressOf(authority, 443), name })))
    : connectInTime;
  const sessions = new WideSessionManager(baseUrl, PINGS, {
    ...HTTP2_OPTIONS,
    ...((tls || baseUrl.startsWith('http:')) && { createConnection }),
  });
  // Requests are not compressed, because services are close to each other and compression would cost more than it
  // saves.
  const transport = new UnaryTransport({
    send: preferLocal(baseUrl, overSharedStream(sessions, overHttp2(sessions))),
    timeoutMs,
  });
  return withCallHeaders(transport, service, tokens);
}

/**
 * Pings that notice a connection whose host has vanished from the network. Times are in milliseconds. While calls wait,
 * a connection is pinged if no response has arrived for `pingIntervalMs`. A connection that was idle for as long is
 * pinged before its next call. Without a reply, the connection is closed, its calls fail with `unavailable`, and the
 * next call opens a new connection. Both times together are shorter than the deadline of a call, and a busy server may
 * be blocked for seconds. An idle connection is not pinged.
 */
const PINGS = { pingIntervalMs: 3_000, pingTimeoutMs: 5_000 };

/** Maximum time to establish a connection, in milliseconds. Services are close to each other. */
const CONNECT_LIMIT_MS = 1_000;

/**
 * Maximum time to establish a connection and do the TLS handshake, in milliseconds. In contrast to a connection, a
 * handshake waits for a server that is busy.
 */
const HANDSHAKE_LIMIT_MS = 5_000;

/**
 * Opens a connection that fails if it is not established in time. The network may drop every packet to the address of a
 * replica that has ended. Without this limit, a call would use up its deadline at this address instead of going to
 * another replica.
 */
function connectInTime(authority: URL): Socket {
  return inTime(authority, connect({ ...addressOf(authority, 80), noDelay: true }), 'connect', CONNECT_LIMIT_MS);
}

function addressOf(authority: URL, defaultPort: number): { host: string; port: number } {
  return { host: bare(authority.hostname), port: Number(authority.port || defaultPort) };
}

/** Returns the host in a URL without the brackets of an IPv6 address. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Does the same as connectInTime() for a TLS connection. */
function secureInTime(authority: URL, socket: TLSSocket): TLSSocket {
  inTime(authority, socket, 'connect', CONNECT_LIMIT_MS);
  return inTime(authority, socket, 'secureConnect', HANDSHAKE_LIMIT_MS);
}

function inTime<Connection extends Socket>(
  authority: URL,
  socket: Connection,
  established: 'connect' | 'secureConnect',
  limitMs: number,
): Connection {
  const timer = setTimeout(() => {
    const message = `no connection to ${authority.host} within ${limitMs} ms`;
    socket.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT', syscall: 'connect' }));
  }, limitMs);
  for (const event of [established, 'close']) socket.once(event, () => clearTimeout(timer));
  return socket;
}

/**
 * Makes a failed handshake look like a refused connection. In both cases the server has not received the call, so it
 * can be sent to another replica.
 */
function refusable(socket: TLSSocket): TLSSocket {
  const asRefused = (error: Error) => void Object.assign(error, { code: 'ECONNREFUSED', syscall: 'connect' });
  return socket.once('error', asRefused).once('secureConnect', () => void socket.off('error', asRefused));
}

/**
 * Returns a client for the unary methods of an RPC service. A failed call throws the service's ServiceError, or a
 * ServiceError of kind `unavailable` if the service can't be reached.
 */
export function createRpcClient<Service extends DescService>(service: Service, transport: Transport): Client<Service> {
  // All methods are unary, so every property is a function of this type.
  const client = createClient(service, transport) as Record<string, UnaryCall>;
  const methods: Record<string, UnaryCall> = {};
  const { typeName, method: described }: DescService = service;
  for (const [name, call] of Object.entries(client)) {
    // This is not an interceptor, because Connect wraps errors from interceptors.
    methods[name] = async (request, options) => {
      try {
        return await call(request, options);
      } catch (error) {
        throw fromConnectError(error, `${typeName}/${described[name]?.name ?? name}`);
      }
    };
  }
  // The cast is safe, because the methods and their types are the same. Only the thrown errors differ.
  return methods as Client<Service>;
}

type UnaryCall = (request: unknown, options?: CallOptions) => Promise<unknown>;

/** Returns a transport that adds a span, the request id, the trace and a token for the service to each unary call. */
function withCallHeaders(transport: Transport, service: string, tokens: TokenSource | undefined): Transport {
  return {
    stream: transport.stream,
    unary: (method, signal, timeoutMs, header, input, contextValues) =>
      inRpcSpan({ method, kind: SpanKind.CLIENT, parent: context.active() }, async () => {
        const requestId = currentRequestId();
        const headers: Record<string, string> = {
          ...(header !== undefined && Object.fromEntries(new Headers(header))),
          ...(requestId !== undefined && { [REQUEST_ID_HEADER]: requestId }),
          ...traceHeaders(),
        };
        if (headers.authorization === undefined) {
          const token =
            tokenIn(contextValues, service) ?? (await tokens?.token(service, organizationIn(contextValues)));
          if (token !== undefined) headers.authorization = `Bearer ${token}`;
        }
        return transport.unary(method, signal, timeoutMs, headers, input, contextValues);
      }),
  };
}

function tokenIn(contextValues: ContextValues | undefined, service: string): string | undefined {
  return contextValues?.get(tokensKey)?.[service];
}

function organizationIn(contextValues: ContextValues | undefined): string | undefined {
  return contextValues?.get(organizationKey);
}
