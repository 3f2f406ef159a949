import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import { domainToASCII } from 'node:url';
import { type Address, type Netguard, peerOf, pinnedLookup } from '@tocsin/netguard';
import { releaseWhenClosed } from '@tocsin/runtime';
import { CheckFailure } from '../../domain/check-failure.ts';
import type { Phases } from '../../domain/observation.ts';
import type { CheckTrace } from './check-trace.ts';
import { limitTls } from './limit-tls.ts';
import { readCertificate } from './read-certificate.ts';

/** Options for connections to targets. */
export interface DialOptions {
  readonly guard: Netguard;
  /** Trusted certificate authorities. */
  readonly trust: SecureContext;
}

export interface Destination {
  /** Host name, or IP address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsOptions | undefined;
}

export interface TlsOptions {
  /** Whether the check fails if clients don't trust the certificate. */
  readonly verify: boolean;
  readonly protocols?: string[];
}

/**
 * Milliseconds to wait for a connection to one address before the next address is tried. Linux retransmits a lost SYN
 * after a second (RFC 6298), and the response to it needs time, too.
 */
const ATTEMPT_MS = 2_500;

/** Opens a new connection to a vetted address. Records the progress and the certificate in the trace. */
export async function openConnection(dialling: DialOptions, to: Destination, trace: CheckTrace): Promise<Socket> {
  const { host, port, tls } = to;
  trace.target = { host, port, address: undefined };
  trace.doing = 'still resolving the name';
  const addresses = await timed(trace, 'dns', dialling.guard.resolve(host, port));
  trace.target = { host, port, address: addresses[0]?.address };

  trace.doing = `still connecting to ${peerOf(trace.target)}`;
  const socket = dial(addresses, to);
  const close = () => socket.destroy();
  trace.close = close;
  releaseWhenClosed(socket);
  await timed(trace, 'connect', once(socket, 'connect'));
  // With several addresses, the socket knows to which of them it is connected.
  if (addresses.length > 1) trace.target = { host, port, address: socket.remoteAddress ?? addresses[0]?.address };
  return tls ? await secure(socket, dialling.trust, to, tls, trace) : socket;
}

function dial(addresses: readonly Address[], { host, port }: Destination): Socket {
  const [first, second] = addresses;
  if (first && !second) return connectTcp({ host: first.address, port, noDelay: true });
  const lookup = pinnedLookup(addresses);
  const attempts = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: ATTEMPT_MS };
  return connectTcp({ host, port, lookup, noDelay: true, ...attempts });
}

async function secure(
  socket: Socket,
  secureContext: SecureContext,
  { host }: Destination,
  { verify, protocols }: TlsOptions,
  trace: CheckTrace,
): Promise<TLSSocket> {
  trace.doing = 'connected, still in the TLS handshake';
  const secured = connectTls({
    socket,
    secureContext,
    // SNI contains only host names in ASCII, without a trailing dot (RFC 6066 §3).
    servername: isIP(host) ? '' : domainToASCII(host.replace(/\.$/, '')),
    ...(protocols && { ALPNProtocols: protocols }),
    // The handshake accepts every certificate. The certificate is inspected afterwards, so that the error for an
    // untrusted certificate is specific.
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
  });
  const close = () => {
    secured.destroy();
    socket.destroy();
  };
  trace.close = close;
  releaseWhenClosed(secured);
  limitTls(socket, secured, trace);
  await timed(trace, 'tls', once(secured, 'secureConnect'));
  const chainError = secured.authorized ? undefined : String(secured.authorizationError);
  const certificate = readCertificate(secured, host, chainError);
  // After redirects, the first certificate is reported unless a later one is invalid.
  if (!trace.certificate || certificate?.valid === false) trace.certificate = certificate;
  if (verify && certificate?.problem) throw new CheckFailure('error', certificate.problem);
  return secured;
}

async function timed<Value>(trace: CheckTrace, phase: keyof Phases, work: Promise<Value>): Promise<Value> {
  const began = performance.now();
  const value = await work;
  if (trace.ended) throw new Error('the check is over');
  trace.phases[phase] = performance.now() - began;
  return value;
}
