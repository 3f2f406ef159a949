import { createServer as createHttp1Server, type RequestListener } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { createServer as createTcpServer, type Socket } from 'node:net';
import type { DescMethod, DescMethodUnary, DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter, type MethodImpl } from '@connectrpc/connect';
import { compressionGzip, connectNodeAdapter } from '@connectrpc/connect-node';
import { accessOf } from './access.ts';
import { addHealth } from './grpc-health.ts';
import { addReflection } from './grpc-reflection.ts';
import type { TokenVerifier } from './internal-token.ts';
import { listen } from './listen.ts';
import { requestGate, serverInterceptors } from './rpc-server-interceptors.ts';
import type { Runtime } from './runtime.ts';

export interface RpcServerOptions {
  readonly host: string;
  readonly port: number;
  readonly runtime: Runtime;
  readonly verifier: TokenVerifier;
  /** What is served; health and reflection are added. */
  readonly services: readonly DescService[];
  readonly routes: (router: ConnectRouter) => void;
  /** Responds to HTTP/1.1 requests whose path is not an RPC. */
  readonly web?: RequestListener;
  /** After how long an HTTP/2 connection on which nothing happens is closed; 5 minutes unless given. */
  readonly idleTimeoutMs?: number;
}

export interface RpcServer extends AsyncDisposable {
  readonly port: number;
}

/** What an HTTP/2 connection begins with (RFC 9113 §3.4): three bytes tell it from every HTTP/1.1 method. */
const HTTP2_PREFACE = Buffer.from('PRI');

/** Bytes of a request body, after decompression. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
/** The same for methods that need no token. */
export const MAX_ANONYMOUS_REQUEST_BYTES = 16 * 1024;

/**
 * Serves gRPC (HTTP/2), gRPC-Web and Connect (both) on one plaintext port. Each method states in its proto file who may
 * call it, which is checked before the body is read. Disposing lets running calls finish and accepts no new ones.
 * @throws Error when a method does not state its access.
 */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { host, port, runtime, services, routes, web, idleTimeoutMs = IDLE_TIMEOUT_MS } = options;
  for (const { methods } of services) for (const method of methods) accessOf(method);
  const stopping = new AbortController();
  const handler = connectNodeAdapter({
    routes(unbounded) {
      const router = bounded(unbounded);
      routes(router);
      addHealth(router, services, runtime.readiness);
      addReflection(router, services);
    },
    interceptors: serverInterceptors(runtime),
    requestGate: requestGate(runtime, options.verifier),
    readMaxBytes: MAX_REQUEST_BYTES,
    acceptCompression: [compressionGzip],
    shutdownSignal: stopping.signal,
    ...(web && {
      fallback: (request, response) =>
        web(request as Parameters<RequestListener>[0], response as Parameters<RequestListener>[1]),
    }),
  });

  const http1 = createHttp1Server(handler);
  // It never listens itself, and this is what makes it watch its connections: slow ones time out, idle ones can be
  // closed.
  http1.emit('listening');
  const http2 = createHttp2Server(handler);
  const sessions = new Set<ServerHttp2Session>();
  http2.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    // Calls in progress still end: none is silent for that long.
    session.setTimeout(idleTimeoutMs, () => session.close());
    session.on('error', (error) => runtime.logger.debug({ err: error }, 'HTTP/2 session failed'));
  });

  const sockets = new Set<Socket>();
  const tcp = createTcpServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', (error) => runtime.logger.debug({ err: error }, 'connection failed'));
    passOn(socket, (isHttp2) => (isHttp2 ? http2 : http1).emit('connection', socket));
  });

  return {
    port: await listen(tcp, host, port),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => tcp.close(resolve));
      stopping.abort();
      for (const session of sessions) session.close();
      // For connections that are busy now and idle after their response.
      http1.keepAliveTimeout = 1;
      http1.close();
      const patience = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, DRAIN_MS);
      await closed;
      clearTimeout(patience);
    },
  };
}

const DRAIN_MS = 10_000;

/** Clients of this workspace connect again when they have to; HTTP/1.1 connections end after 5 s (Node's default). */
const IDLE_TIMEOUT_MS = 5 * 60_000;

/** How long a connection may stay silent before its protocol is known. */
const FIRST_BYTES_MS = 10_000;

/** Reads just enough of a connection to recognize the protocol, puts it back, and passes the connection on. */
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

/** Returns a router that bounds the requests of methods that need no token more tightly than the others. */
function bounded(router: ConnectRouter): ConnectRouter {
  // For the router, streaming and unary methods differ in their types only.
  const add = (method: DescMethod, handler: unknown) =>
    router.rpc(
      method as DescMethodUnary,
      handler as Handler,
      accessOf(method).anonymous ? { readMaxBytes: MAX_ANONYMOUS_REQUEST_BYTES } : undefined,
    );
  const self: ConnectRouter = {
    handlers: router.handlers,
    rpc(method, handler) {
      add(method, handler);
      return self;
    },
    service(service, implementation) {
      // Each property is the implementation of the method of that name.
      const handlers = implementation as Readonly<Record<string, unknown>>;
      for (const method of service.methods) add(method, handlers[method.localName] ?? unimplemented);
      return self;
    },
  };
  return self;
}
