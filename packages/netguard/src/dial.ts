import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { Address } from './host.ts';
import { pinnedLookup } from './lookup.ts';

/** TLS settings without the destination. */
export type TlsOptions = Omit<ConnectionOptions, 'host' | 'port' | 'path' | 'socket' | 'lookup' | 'servername'>;

export interface Destination {
  /** Host name, or IP literal with or without brackets. */
  readonly host: string;
  readonly port: number;
  /** TLS settings; `true` for Node's defaults. Without them, the connection does not use TLS. */
  readonly tls?: boolean | TlsOptions | undefined;
  /** Name for SNI, which the certificate must match. Defaults to `host`. */
  readonly servername?: string | undefined;
}

// Milliseconds before Node gives up on an address and tries the next one. Unlike RFC 8305, Node does not try addresses
// concurrently, so its default of 250 ms is too short for distant hosts. Linux retransmits a lost SYN after a second
// (RFC 6298), and the response to it needs time, too.
const ATTEMPT_TIMEOUT_MS = 2_500;

/**
 * Opens a connection to a normalized host. Tries the host's vetted addresses one after the other. Resolves when the
 * connection can be written to.
 */
export async function dial(
  { host, port, tls, servername }: Destination,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const target = {
    // Node connects to an IP literal without a lookup. The literal has been vetted.
    host,
    port,
    lookup: pinnedLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    noDelay: true,
  };
  const socket = tls
    ? connectTls({ ...(tls === true ? {} : tls), ...target, servername: servername ?? sniName(host) })
    : connectTcp(target);
  try {
    await once(socket, tls ? 'secureConnect' : 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Returns the host name for SNI, without a trailing dot; undefined for an IP address (RFC 6066 §3). */
function sniName(host: string): string | undefined {
  return isIP(host) ? undefined : host.replace(/\.$/, '');
}
