import type { IncomingHttpHeaders } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpStatusHeader } from 'node:http2';
import type { Socket } from 'node:net';
import type { Target } from '@tocsin/netguard';
import { type HttpRequest, lengthOf } from './http-request.ts';
import { connectionLost, type HttpStream, MAX_HEADER_BYTES, MAX_INTERIM, tooManyInterim } from './http-stream.ts';

/** Sends a request to a target that negotiated HTTP/2, and waits for the headers of the response. */
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
        ...lengthOf(request),
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

/** Destroys the session when its socket is closed. */
function endWith(session: ClientHttp2Session, socket: Socket): void {
  socket.once('close', () => session.destroy());
}

/** Removes connection-specific headers, which HTTP/2 forbids (RFC 9113 §8.2.2). */
function forHttp2(headers: HttpRequest['headers']): Record<string, string> {
  const { connection, upgrade, te, 'keep-alive': keepAlive, 'proxy-connection': proxy, ...kept } = headers;
  return kept;
}
