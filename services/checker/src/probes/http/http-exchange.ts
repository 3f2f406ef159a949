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
  /** The body as it comes, not decoded. */
  readonly body: Readable;
  /** Once the body is over: why it is not whole although it seemed to end; undefined when it is. */
  readonly broken: () => Error | undefined;
}

/** Size limit of what precedes the body. Node's default is 16 KiB, which real sites exceed. */
export const MAX_HEADER_BYTES = 64 * 1024;

/** Interim responses (1xx) before the final one; real servers send one or two. */
const MAX_INTERIM = 20;

/** Sends a request on a connection of its own and waits for the headers of the response. */
export function exchangeHttp1(socket: Socket, request: HttpRequest, target: Target): Promise<HttpStream> {
  return new Promise((resolve, reject) => {
    const { url, method, headers } = request;
    const sent: ClientRequest = httpRequest({
      // Without an agent, which also makes the request ask for the connection to be closed.
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
    // What was asked for by a header, a WebSocket for example: the handshake is all that is checked.
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
      // The protocol may be violated in the body, too, where the error alone would only say that the connection closed.
      if (!body?.complete) body?.destroy(error);
    });
    sent.end(request.body);
  });
}

/** As `exchangeHttp1`, for a target that chose HTTP/2 in the TLS handshake. */
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
        // Node ends the body of a connection that is gone as if it were whole.
        broken: () => (stream.rstCode === 0 ? undefined : connectionLost()),
      }),
    );
    stream.on('error', reject);
    // Refused before it was read: there is no error event for that.
    stream.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ERR_HTTP2_STREAM_ERROR' })));
    if (body !== undefined) stream.end(body);
  });
}

/** What a body ends with that stopped before its end. */
export function connectionLost(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}

/** The socket is the check's: when it is closed, the session has to go with it. */
function endWith(session: ClientHttp2Session, socket: Socket): void {
  socket.once('close', () => session.destroy());
}

function lengthOf(body: string | undefined): { 'content-length'?: string } {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

/** Headers of a connection have no place in HTTP/2 (RFC 9113 §8.2.2). */
function forHttp2(headers: HttpRequest['headers']): Record<string, string> {
  const { connection, upgrade, te, 'keep-alive': keepAlive, 'proxy-connection': proxy, ...kept } = headers;
  return kept;
}

function tooManyInterim(target: Target): CheckFailure {
  return new CheckFailure('error', `${peerOf(target)} sent more than ${MAX_INTERIM} interim responses (1xx)`);
}
