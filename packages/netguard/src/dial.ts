import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { Address } from './host.ts';
import { pinnedLookup } from './lookup.ts';

/** TLS settings without the destination. */
export type TlsOptions = Omit<ConnectionOptions, 'host' | 'port' | 'path' | 'socket' | 'lookup' | 'servername'>;

export interface Destination {
  /** A name, or an IP literal with or without brackets. */
  readonly host: string;
  readonly port: number;
  /** Speak TLS; `true` for node's defaults. */
  readonly tls?: boolean | TlsOptions | undefined;
  /** The name asked for in SNI and expected in the certificate; `host` unless given. */
  readonly servername?: string | undefined;
}

// Node gives up on an address before it tries the next one, instead of racing both as RFC 8305 does. Its default of
// 250 ms fails hosts on the other side of the world; one second leaves time for a retransmitted SYN.
const ATTEMPT_TIMEOUT_MS = 1000;

/**
 * Opens a connection to vetted addresses of a normalized host, one after the other; resolves once it can be written to.
 */
export async function dial(
  { host, port, tls, servername }: Destination,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const target = {
    // Node doesn't look a literal up, but dials it as it is: that literal is the address which was vetted.
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

/** SNI carries names only, without the dot that ends an absolute one (RFC 6066 §3). */
function sniName(host: string): string | undefined {
  return isIP(host) ? undefined : host.replace(/\.$/, '');
}
