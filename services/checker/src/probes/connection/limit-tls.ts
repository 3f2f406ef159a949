import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { peerOf } from '@tocsin/netguard';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { CheckTrace } from './check-trace.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Maximum number of decrypted bytes of a connection, which is more than any response that is read. Ends input that
 * never becomes part of a response, such as endless HTTP/2 frames for the flow control of the connection.
 */
const MAX_CONTENT = 4 * MIB;

/**
 * Bytes that a check may receive in addition to the content of its TLS connections: handshakes and other messages of
 * TLS, the headers of records, and padding. A message of few bytes costs OpenSSL as much processor time as 10 KB of
 * content, and 60 KB of certificates cost 150 ms. The basis is the largest certificate chain that OpenSSL accepts.
 */
const MAX_OVERHEAD = 128 * KIB;
/** Further bytes for each connection: a handshake with the certificates of a usual server. */
const OVERHEAD_OF_CONNECTION = 16 * KIB;
/** Further bytes for each byte of content. A record of 100 bytes has about 25 bytes more. */
const OVERHEAD_OF_CONTENT = 1 / 4;

/**
 * Maximum number of renegotiations of a check, for one with each request. Servers renegotiate to request the
 * certificate of a client.
 */
const MAX_RENEGOTIATIONS = 10;

/** Milliseconds between two looks at what a connection has received. Bounds the processor time of a fast sender. */
const LOOK_MS = 100;

/** What the TLS connections of a check have received. */
export interface TlsReceived {
  connections: number;
  renegotiations: number;
  /** Bytes of the closed connections. */
  content: number;
  /** Bytes of the closed connections that were not content. */
  overhead: number;
}

export function nothingReceived(): TlsReceived {
  return { connections: 0, renegotiations: 0, content: 0, overhead: 0 };
}

/**
 * Ends the check when its TLS connections have received too much. TLS and HTTP/2 have no event for what they have read.
 */
export function limitTls(socket: Socket, secured: TLSSocket, trace: CheckTrace): void {
  const { target, tls } = trace;
  tls.connections += 1;

  function look(): void {
    const what = excessOf(tls, secured.bytesRead, socket.bytesRead);
    if (what && target) trace.abort(new CheckFailure('error', `${peerOf(target)} ${what}`));
  }

  const timer = setInterval(look, LOOK_MS);
  let handshakes = 0;
  secured.on('secureConnect', () => {
    handshakes += 1;
    if (handshakes > 1) tls.renegotiations += 1;
    look();
  });
  socket.once('close', () => {
    clearInterval(timer);
    tls.content += secured.bytesRead;
    tls.overhead += socket.bytesRead - secured.bytesRead;
  });
}

/** Returns what the server did too much, or undefined. `content` and `received` are bytes of the open connection. */
function excessOf(tls: TlsReceived, content: number, received: number): string | undefined {
  if (tls.renegotiations > MAX_RENEGOTIATIONS) return `renegotiated TLS more than ${MAX_RENEGOTIATIONS} times`;
  if (content > MAX_CONTENT) return `sent more than ${MAX_CONTENT / MIB} MiB, but no complete response`;
  const overhead = tls.overhead + received - content;
  const allowed = OVERHEAD_OF_CONNECTION * tls.connections + OVERHEAD_OF_CONTENT * (tls.content + content);
  if (overhead <= MAX_OVERHEAD + allowed) return undefined;
  return `sent more than ${MAX_OVERHEAD / KIB} KiB of TLS messages or padding beside its response`;
}
