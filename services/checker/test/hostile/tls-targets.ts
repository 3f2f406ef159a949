import type { Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { createAuthority, selfSigned } from '@tocsin/testing/certificates';
import { type Fixture, type HostileTarget, httpTarget, type Started } from './target.ts';

export const ignoringCertificate = { verify_tls: false };

/** Starts a TLS target with a self-signed certificate. Calls `onSecure` after each handshake. */
async function tlsTarget(
  fixture: Fixture,
  options: TlsOptions,
  onSecure: (socket: TLSSocket) => void,
  config: object,
): Promise<Started> {
  const issued = await selfSigned(['127.0.0.1']);
  const server = createTlsServer({ ...issued, ...options }, onSecure);
  const port = await fixture.listen(server);
  return { type: 'http', port, config: { url: `https://127.0.0.1:${port}/`, ...config } };
}

/** Returns a TLS target that completes the handshake but then does not speak the negotiated protocol. */
export function afterHandshake(protocol: string, onSecure: (socket: Socket) => void, config: object = {}) {
  const all = { ...ignoringCertificate, ...config };
  return (fixture: Fixture) => tlsTarget(fixture, { ALPNProtocols: [protocol] }, onSecure, all);
}

async function https(fixture: Fixture, onConnection: (socket: Socket) => void): Promise<Started> {
  const { port } = await httpTarget(fixture, onConnection);
  return { type: 'http', port, config: { url: `https://127.0.0.1:${port}/` } };
}

/** Renegotiates with each answer, which only TLS 1.2 can. */
function renegotiating(fixture: Fixture): Promise<Started> {
  const server = (socket: TLSSocket) => {
    const again = () => socket.destroyed || socket.renegotiate({}, (error) => error || again());
    socket.once('data', again);
  };
  return tlsTarget(fixture, { maxVersion: 'TLSv1.2' }, server, ignoringCertificate);
}

/** Returns a target that sends an incomplete body, each byte in a TLS record of its own. */
function sendingTinyRecords() {
  return afterHandshake('http/1.1', (socket) => {
    // More records of 22 bytes than a check may receive beside its content, but fewer pieces than it reads of a body.
    let records = 10_000;
    const next = () => {
      records -= 1;
      if (records > 0) socket.write('x', next);
    };
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n', next));
  });
}

/** Targets whose TLS handshake fails, or that send too many messages of TLS. */
export const TLS: readonly HostileTarget[] = [
  {
    what: 'speaks plain HTTP where TLS is expected',
    start: (fixture) =>
      https(fixture, (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))),
    outcome: 'error',
    error: '{peer} does not speak TLS',
  },
  {
    what: 'closes the connection during the TLS handshake',
    start: (fixture) => https(fixture, (socket) => socket.once('data', () => socket.end())),
    outcome: 'error',
    error: 'connection closed by {peer} in the TLS handshake',
  },
  {
    what: 'stops during the TLS handshake',
    start: (fixture) => https(fixture, () => {}),
    outcome: 'timeout',
    error: 'no response within 1000 ms, connected, still in the TLS handshake',
  },
  {
    what: 'responds to the TLS handshake with an alert',
    start: (fixture) =>
      https(fixture, (socket) => socket.once('data', () => socket.end(Buffer.from('15030300020228', 'hex')))),
    outcome: 'error',
    error: 'TLS with {peer} failed (ssl/tls alert handshake failure)',
  },
  {
    what: 'sends an incomplete TLS record and nothing else',
    start: (fixture) =>
      https(fixture, (socket) => socket.once('data', () => socket.write(Buffer.from('160303400002', 'hex')))),
    outcome: 'timeout',
    error: 'no response within 1000 ms, connected, still in the TLS handshake',
  },
  {
    what: 'has a certificate chain of a megabyte',
    start: async (fixture) => {
      const authority = await createAuthority('Bulk');
      const issued = await authority.issue({
        names: Array.from({ length: 4_000 }, (_, n) => `host-${n}.${'x'.repeat(50)}.example`),
      });
      const cert = [issued.cert, ...Array.from({ length: 4 }, () => issued.cert)].join('\n');
      return tlsTarget(fixture, { key: issued.key, cert }, () => {}, ignoringCertificate);
    },
    outcome: 'error',
    error: '{peer} sent a certificate chain that is too large',
  },
  {
    what: 'has a certificate with a thousand names',
    start: async (fixture) => {
      const authority = await createAuthority('Bulk');
      const issued = await authority.issue({ names: Array.from({ length: 1_000 }, (_, n) => `host-${n}.example`) });
      return tlsTarget(fixture, { ...issued }, () => {}, {});
    },
    outcome: 'error',
    error:
      'certificate chain is incomplete: the server did not send the certificate of its issuer, "Bulk", which is no trusted authority either',
  },
  {
    what: 'renegotiates TLS again and again',
    start: renegotiating,
    outcome: 'error',
    error: '{peer} renegotiated TLS more than 10 times',
  },
  {
    what: 'sends a body in TLS records of one byte',
    start: sendingTinyRecords(),
    outcome: 'error',
    error: '{peer} sent more than 128 KiB of TLS messages or padding beside its response',
  },
];
