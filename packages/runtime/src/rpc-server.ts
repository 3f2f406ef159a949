import { createServer as createHttp1Server, type RequestListener } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { createServer as createTcpServer, type Socket } from 'node:net';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { Health } from '@tocsin/proto/grpc/health/v1/health';
import { ServerReflection } from '@tocsin/proto/grpc/reflection/v1/reflection';
import { addHealth } from './grpc-health.ts';
import { addReflection } from './grpc-reflection.ts';
import type { TokenVerifier } from './internal-token.ts';
import { listen } from './listen.ts';
import { serverInterceptors } from './rpc-server-interceptors.ts';
import type { Runtime } from './runtime.ts';

export interface RpcServerOptions {
  readonly host: string;
  readonly port: number;
  readonly runtime: Runtime;
  readonly verifier: TokenVerifier;
  /** What is served; health and reflection come by themselves. */
  readonly services: readonly DescService[];
  readonly routes: (router: ConnectRouter) => void;
  /** Methods that need no token. */
  readonly anonymous?: readonly DescMethod[];
  /** Answers HTTP/1.1 requests whose path is no RPC. */
  readonly web?: RequestListener;
}

export interface RpcServer extends AsyncDisposable {
  readonly port: number;
}

/** What an HTTP/2 connection begins with (RFC 9113 §3.4): three bytes tell it from every HTTP/1.1 method. */
const HTTP2_PREFACE = Buffer.from('PRI');

/**
 * Serves gRPC (HTTP/2), gRPC-Web and Connect (both) on one plaintext port. Every method but the anonymous ones, health
 * and reflection needs an internal token. Disposing lets running calls finish and takes no new ones.
 */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { host, port, runtime, services, routes, web } = options;
  const anonymous = new Set<DescMethod>([...(options.anonymous ?? []), ...Health.methods, ...ServerReflection.methods]);
  const stopping = new AbortController();
  const handler = connectNodeAdapter({
    routes(router) {
      routes(router);
      addHealth(router, services, runtime.readiness);
      addReflection(router, services);
    },
    interceptors: serverInterceptors(runtime, options.verifier, anonymous),
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
    session.on('error', (error) => runtime.logger.debug({ err: error }, 'HTTP/2 session failed'));
  });

  const sockets = new Set<Socket>();
  const tcp = createTcpServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', (error) => runtime.logger.debug({ err: error }, 'connection failed'));
    handOver(socket, (isHttp2) => (isHttp2 ? http2 : http1).emit('connection', socket));
  });

  return {
    port: await listen(tcp, host, port),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => tcp.close(resolve));
      stopping.abort();
      for (const session of sessions) session.close();
      // For connections that are busy now and idle after their answer.
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

/** Reads just enough of a connection to tell the protocol, puts it back, and hands the connection on. */
function handOver(socket: Socket, hand: (isHttp2: boolean) => void): void {
  socket.once('readable', () => {
    const start: Buffer | null = socket.read();
    if (!start) return socket.readableEnded || socket.destroyed ? undefined : handOver(socket, hand);
    socket.unshift(start);
    const length = Math.min(start.length, HTTP2_PREFACE.length);
    const looksLikeHttp2 = start.subarray(0, length).equals(HTTP2_PREFACE.subarray(0, length));
    hand(looksLikeHttp2);
  });
}
