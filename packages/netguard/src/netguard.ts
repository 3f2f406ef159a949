import type { LookupFunction, Socket } from 'node:net';
import { type AllowedTargets, opens } from './allowed-targets.ts';
import { type Limits, withDeadline } from './deadline.ts';
import { type Destination, dial } from './dial.ts';
import { BlockedAddressError } from './errors.ts';
import { type FetchOptions, type FetchResponse, guardedFetch, parseHttpUrl } from './guarded-fetch.ts';
import { type Address, findAddresses, normalizeHost, type Resolve } from './host.ts';
import { parseAddress } from './ip-address.ts';
import { KeptClients } from './kept-clients.ts';
import { answerLookup } from './lookup.ts';
import { askNameServers } from './name-servers.ts';
import { isPublic } from './public-address.ts';

export interface NetguardOptions {
  readonly allow: AllowedTargets;
  /**
   * Ports of the installation itself. Connections to these ports on private addresses are refused, even if `allow`
   * contains the addresses. Defaults to none.
   */
  readonly closedPorts?: ReadonlySet<number> | undefined;
  /** Resolver. Defaults to a resolver that queries the machine's name servers. */
  readonly resolve?: Resolve;
}

export interface ConnectOptions extends Destination, Partial<Limits> {}

/**
 * Opens connections to addresses that tenants choose. Connects only to public addresses and to addresses that the
 * operator allowed.
 */
export interface Netguard {
  /**
   * Returns whether connections to an IP address are allowed. If `port` is given, connections to this port must be
   * allowed. Returns false for a string that is not an IP address.
   */
  isAllowed(ip: string, port?: number): boolean;

  /**
   * Resolves a host, which is a name, or an IP literal with or without brackets. Returns at least one address, and only
   * addresses to which connections on this port are allowed. Connect to the returned addresses (see `pinnedLookup`),
   * because a second resolution may return different addresses.
   * @throws BlockedAddressError if all addresses are forbidden; the resolver's own error if the name is not found.
   */
  resolve(host: string, port: number | undefined): Promise<Address[]>;

  /**
   * A `lookup` function for `net`, `tls` and `http`. Node does not call it for an IP literal, so call `resolve` first
   * for a literal.
   */
  readonly lookup: LookupFunction;

  /**
   * Connects to a host within `timeoutMs` (default: 10,000) and, with `tls`, completes the handshake. After that the
   * caller owns the socket, and `signal` has no effect on it.
   * @throws BlockedAddressError, OutboundTimeoutError, the signal's reason, or Node's own errors.
   */
  connect(options: ConnectOptions): Promise<Socket>;

  /**
   * Sends an HTTP request and reads a bounded response, on a new connection unless `keepAlive` is set.
   * @throws the same errors as `connect`.
   */
  fetch(url: string | URL, options?: FetchOptions): Promise<FetchResponse>;

  /**
   * Returns whether all addresses of a host are in ranges that the operator allowed; false if the host is not found.
   */
  opensHost(host: string): Promise<boolean>;
}

const DEFAULT_TIMEOUT_MS = 10_000;

export function createNetguard({
  allow,
  closedPorts = new Set(),
  resolve: ask = askNameServers(),
}: NetguardOptions): Netguard {
  // Each guard has its own connections, because another guard may allow addresses that this guard forbids.
  const connections = new KeptClients();

  function isOpened(ip: string): boolean {
    const address = parseAddress(ip);
    return address !== undefined && opens(allow, address);
  }

  function isAllowed(ip: string, port?: number): boolean {
    const address = parseAddress(ip);
    if (address === undefined) return false;
    return isPublic(address) || (opens(allow, address) && !(port !== undefined && closedPorts.has(port)));
  }

  async function resolve(host: string, port: number | undefined): Promise<Address[]> {
    const name = normalizeHost(host);
    const found = await findAddresses(name, ask);
    // If a name has both allowed and forbidden addresses, connections use only the allowed ones.
    const vetted = found.filter(({ address }) => isAllowed(address, port));
    if (vetted.length > 0) return vetted;
    const [refused] = found;
    if (refused) throw new BlockedAddressError(name, refused.address, isAllowed(refused.address) ? port : undefined);
    throw Object.assign(new Error(`${name} has no address`), { code: 'ENOTFOUND', hostname: name });
  }

  async function vetAndDial(destination: Destination, signal: AbortSignal): Promise<Socket> {
    const host = normalizeHost(destination.host);
    return dial({ ...destination, host }, await resolve(host, destination.port), signal);
  }

  return {
    isAllowed,
    resolve,

    lookup(hostname, options, callback) {
      resolve(hostname, undefined).then(
        (addresses) => answerLookup(hostname, addresses, options, callback),
        (error) => callback(error, []),
      );
    },

    connect({ timeoutMs = DEFAULT_TIMEOUT_MS, signal, ...destination }) {
      const target = `${destination.host}:${destination.port}`;
      return withDeadline(target, { timeoutMs, signal }, (deadline) => vetAndDial(destination, deadline));
    },

    async fetch(url, options = {}) {
      const { timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options;
      const parsed = parseHttpUrl(url);
      const limits = { timeoutMs: timeoutMs + (options.bodyTimeoutMs ?? 0), signal };
      return withDeadline(parsed.origin, limits, (deadline) =>
        guardedFetch(parsed, { ...options, timeoutMs }, { dialer: vetAndDial, connections }, deadline),
      );
    },

    async opensHost(host) {
      try {
        const found = await findAddresses(normalizeHost(host), ask);
        return found.length > 0 && found.every(({ address }) => isOpened(address));
      } catch {
        return false;
      }
    },
  };
}
