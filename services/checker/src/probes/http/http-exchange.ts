import { type ClientRequest, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpStatusHeader } from 'node:http2';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { peerOf, type Target } from '@tocsin/netguard';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { HttpRequest } from './redirect.ts';

/** A response whose headers have arrived. */
export interface HttpStream {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  /** Body of the response, not decoded. */
  readonly body: Readable;
  /**
   * Returns the reason why the body is incomplete; undefined if it is complete. Call this after the end of the body.
   */
  readonly broken: () => Error | undefined;
}

/** Maximum size of the headers. Node's default of 16 KiB is too small for some sites. */
export const MAX_HEADER_BYTES = 64 * 1024;

/** Maximum number of interim responses (1xx). Real servers send one or two. */
const MAX_INTERIM = 20;

/** Sends a request on a new connection and waits for the headers of the response. */
export function exchangeHttp1(socket: Socket, request: HttpRequest, target: Target): Promise<HttpStream> {
  return new Promise((resolve, reject) => {
    const { url, method, headers } = request;
    const sent: ClientRequest = httpRequest({
      // With `createConnection`, Node.js uses no agent, so the request contains `connection: close`.
      createConnection: () => socket,
      method,
      path: url.pathname + url.search,
      setHost: false,
      headers: { host: url.host, ...headers, ...lengthOf(request.body) },
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    let body: IncomingMessage | undefined;
    sent.once('response', (incoming) => {
      body = incoming.on('error', reject);
      resolve({ statusCode: incoming.statusCode ?? 0, headers: incoming.headers, body, broken: () => undefined });
    });
    // Emitted if the headers in the config request an upgrade, for example to WebSocket, and the target accepts it. The
    // check covers only the handshake.
    sent.once('upgrade', ({ headers }) =>
      resolve({ statusCode: 101, headers, body: Readable.from([]), broken: () => undefined }),
    );
    let interim = 0;
    sent.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM) reject(tooManyInterim(target));
    });
    sent.on('error', (error) => {
      reject(error);
      // Reports a protocol error in the body, which would otherwise look like a closed connection.
      if (!body?.complete) body?.destroy(error);
    });
    sent.end(request.body);
  });
}

/** Sends a request like `exchangeHttp1`, but to a target that negotiated HTTP/2. */
export function exchangeHttp2(socket: Socket, request: HttpRequest, target: Target): Promise<HttpStream> {
  return new Promise((resolve, reject) => {
    const { url, method, headers, body } = request;
    const session = connectHttp2(url.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, maxHeaderListSize: MAX_HEADER_BYTES },
      maxHeaderListPairs: 1_000,
      maxSessionMemory: 4,
    });
    endWith(session, socket);
    session.on('error', reject);
    const { host, ...kept } = forHttp2(headers);
    const stream = session.request(
      {
        ...kept,
        ...lengthOf(body),
        ':method': method,
        ':scheme': 'https',
        ':authority': host ?? url.host,
        ':path': url.pathname + url.search,
      },
      { endStream: body === undefined },
    );
    let interim = 0;
    stream.on('headers', () => {
      interim += 1;
      if (interim > MAX_INTERIM) reject(tooManyInterim(target));
    });
    stream.once('response', (incoming: IncomingHttpHeaders & IncomingHttpStatusHeader) =>
      resolve({
        statusCode: incoming[':status'] ?? 0,
        headers: incoming,
        body: stream,
        // If the connection is lost, Node ends the body as if it were complete.
        broken: () => (stream.rstCode === 0 ? undefined : connectionLost()),
      }),
    );
    stream.on('error', reject);
    // Node emits only `close`, and no error event, if the server rejected the request without reading it.
    stream.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ERR_HTTP2_STREAM_ERROR' })));
    if (body !== undefined) stream.end(body);
  });
}

/** Returns the error for a body that ended early. */
export function connectionLost(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}

/** Destroys the session when its socket is closed. */
function endWith(session: ClientHttp2Session, socket: Socket): void {
  socket.once('close', () => session.destroy());
}

function lengthOf(body: string | undefined): { 'content-length'?: string } {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

/** Removes connection-specific headers, which HTTP/2 forbids (RFC 9113 §8.2.2). */
function forHttp2(headers: HttpRequest['headers']): Record<string, string> {
  const { connection, upgrade, te, 'keep-alive': keepAlive, 'proxy-connection': proxy, ...kept } = headers;
  return kept;
}

function tooManyInterim(target: Target): CheckFailure {
  return new CheckFailure('error', `${peerOf(target)} sent more than ${MAX_INTERIM} interim responses (1xx)`);
}
