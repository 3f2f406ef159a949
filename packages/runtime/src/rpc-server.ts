import { AsyncResource } from 'node:async_hooks';
import { createServer as createHttp1Server, type RequestListener } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { createServer as createTcpServer, type Socket } from 'node:net';
import type { DescMethod, DescMethodUnary, DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter, type MethodImpl } from '@connectrpc/connect';
import { compressionGzip, connectNodeAdapter } from '@connectrpc/connect-node';
import { accessOf } from './access.ts';
import { addHealth } from './grpc-health.ts';
import { addReflection } from './grpc-reflection.ts';
import { HTTP2_OPTIONS, widen } from './http2-session.ts';
import type { TokenVerifier } from './internal-token.ts';
import { listen } from './listen.ts';
import { addLocalServer } from './local-servers.ts';
import { withPeerAddress } from './peer-address.ts';
import { requestGate, serverInterceptors } from './rpc-server-interceptors.ts';
import type { Runtime } from './runtime.ts';
import { asksForSharedStream, serveSharedStream } from './shared-stream-server.ts';
import type { Tls } from './tls.ts';
import { UnaryMethods } from './unary-methods.ts';
import { serveUnary } from './unary-streams.ts';

export interface RpcServerOptions {
  readonly host: string;
  readonly port: number;
  readonly runtime: Runtime;
  readonly verifier: TokenVerifier;
  /** Services to serve, in addition to health and reflection. */
  readonly services: readonly DescService[];
  readonly routes: (router: ConnectRouter) => void;
  /** Responds to HTTP/1.1 requests whose path is not an RPC. */
  readonly web?: RequestListener;
  /** Certificates of the process; undefined for a port without encryption. */
  readonly tls?: Tls | undefined;
  /** Milliseconds before an idle HTTP/2 connection is closed. Defaults to 5 minutes. */
  readonly idleTimeoutMs?: number;
}

export interface RpcServer extends AsyncDisposable {
  readonly port: number;
}

/** First bytes of an HTTP/2 connection (RFC 9113 §3.4). Three bytes distinguish them from every HTTP/1.1 method. */
const HTTP2_PREFACE = Buffer.from('PRI');

/** Maximum size of a request body after decompression, in bytes. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
/** Maximum size of a request body of methods that need no token, in bytes. */
export const MAX_ANONYMOUS_REQUEST_BYTES = 16 * 1024;

/**
 * Serves gRPC over HTTP/2, and gRPC-Web and Connect over HTTP/1.1 and HTTP/2. All protocols share one port, with TLS if
 * there are certificates. The proto file states who may call each method. This is checked before the body is read.
 * Disposing rejects new calls and waits for running ones.
 * @throws Error if a method does not state its access.
 */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { host, port, runtime, services, routes, web, tls, idleTimeoutMs = IDLE_TIMEOUT_MS } = options;
  for (const { methods } of services) for (const method of methods) accessOf(method);
  const stopping = new AbortController();
  const interceptors = serverInterceptors(runtime);
  const gate = requestGate(runtime, options.verifier);
  const unary = new UnaryMethods({ gate, interceptors, stopping: stopping.signal });
  const adapter = connectNodeAdapter({
    routes(unbounded) {
      const router = bounded(unbounded, unary);
      routes(router);
      addHealth(router, services, runtime.readiness);
      addReflection(router, services);
    },
    interceptors,
    contextValues: withPeerAddress,
    requestGate: gate,
    readMaxBytes: MAX_REQUEST_BYTES,
    acceptCompression: [compressionGzip],
    shutdownSignal: stopping.signal,
    ...(web && {
      fallback: (request, response) =>
        web(request as Parameters<RequestListener>[0], response as Parameters<RequestListener>[1]),
    }),
  });

  // Requests are handled in the asynchronous context of the server, which names its service: see inService().
  const handler = AsyncResource.bind(adapter);
  const http1 = createHttp1Server(handler);
  // This server does not listen itself. The event makes it track its connections, so that it can time out slow
  // connections and close idle connections.
  http1.emit('listening');
  const http2 = createHttp2Server(HTTP2_OPTIONS);
  // This server only converts streams to requests.
  const requests = createHttp2Server(handler);
  const sessions = new Set<ServerHttp2Session>();
  http2.on('session', (session) => {
    sessions.add(session);
    widen(session);
    const address = session.socket.remoteAddress ?? '';
    session.on('stream', (stream, headers, ...rest) => {
      if (asksForSharedStream(headers)) {
        serveSharedStream(stream, { methods: unary, address, stopping: stopping.signal });
      } else if (!serveUnary(unary, stream, headers, address)) requests.emit('stream', stream, headers, ...rest);
    });
    session.once('close', () => sessions.delete(session));
    // The timeout does not affect calls in progress, because close() waits until they have ended.
    session.setTimeout(idleTimeoutMs, () => session.close());
    session.on('error', (error) => runtime.logger.debug({ err: error }, 'HTTP/2 session failed'));
    // The connection was accepted just before the server began to stop.
    if (stopping.signal.aborted) session.close();
  });

  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', (error) => runtime.logger.debug({ err: error }, 'connection failed'));
    passOn(socket, (isHttp2) => (isHttp2 ? http2 : http1).emit('connection', socket));
  };
  const tcp = tls ? tls.createServer(accept, FIRST_BYTES_MS) : createTcpServer({ noDelay: true }, accept);

  const boundPort = await listen(tcp, host, port);
  const local = addLocalServer(`${host}:${boundPort}`, unary);
  return {
    port: boundPort,
    async [Symbol.asyncDispose]() {
      const closed = Promise.all([new Promise((resolve) => tcp.close(resolve)), local[Symbol.asyncDispose]()]);
      stopping.abort();
      for (const session of sessions) session.close();
      // Makes each connection with a running request close as soon as the request has ended.
      http1.keepAliveTimeout = 1;
      http1.close();
      const graceTimer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, DRAIN_MS);
      await closed;
      clearTimeout(graceTimer);
    },
  };
}

const DRAIN_MS = 10_000;

/**
 * Default idle timeout of HTTP/2 connections. Clients reconnect on demand. HTTP/1.1 connections end after 5 s (Node's
 * default).
 */
const IDLE_TIMEOUT_MS = 5 * 60_000;

/** Maximum time until a new connection sends its first bytes, in milliseconds. */
const FIRST_BYTES_MS = 10_000;

/** Reads the first bytes of a connection to detect the protocol, puts them back, and passes the connection on. */
function passOn(socket: Socket, pass: (isHttp2: boolean) => void): void {
  const silent = setTimeout(() => socket.destroy(), FIRST_BYTES_MS).unref();
  socket.once('close', () => clearTimeout(silent));
  const recognize = () => {
    const start: Buffer | null = socket.read();
    if (!start) {
      if (!socket.readableEnded && !socket.destroyed) socket.once('readable', recognize);
      return;
    }
    clearTimeout(silent);
    socket.unshift(start);
    const length = Math.min(start.length, HTTP2_PREFACE.length);
    pass(start.subarray(0, length).equals(HTTP2_PREFACE.subarray(0, length)));
  };
  socket.once('readable', recognize);
}

type Handler = MethodImpl<DescMethodUnary>;

const unimplemented: Handler = () => {
  throw new ConnectError('this method is not implemented', Code.Unimplemented);
};

/**
 * Returns a router with a lower limit for the request bodies of methods that need no token. It also adds each unary
 * method to `unary`.
 */
function bounded(router: ConnectRouter, unary: UnaryMethods): ConnectRouter {
  const add = (method: DescMethod, handler: unknown) => {
    const readMaxBytes = accessOf(method).anonymous ? MAX_ANONYMOUS_REQUEST_BYTES : MAX_REQUEST_BYTES;
    // The router treats streaming and unary methods alike, although their types differ.
    router.rpc(method as DescMethodUnary, handler as Handler, { readMaxBytes });
    if (method.methodKind === 'unary') unary.add(method as DescMethodUnary, handler as Handler, readMaxBytes);
  };
  const self: ConnectRouter = {
    handlers: router.handlers,
    rpc(method, handler) {
      add(method, handler);
      return self;
    },
    service(service, implementation) {
      // Each property implements the method with its name.
      const handlers = implementation as Readonly<Record<string, unknown>>;
      for (const method of service.methods) add(method, handlers[method.localName] ?? unimplemented);
      return self;
    },
  };
  return self;
}
