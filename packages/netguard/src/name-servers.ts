import { getServers, Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Address, Resolve } from './host.ts';
import { HostsFile } from './hosts-file.ts';

export interface NameServersOptions {
  /** Name servers, such as `192.0.2.53` or `192.0.2.53:5353`. Defaults to the machine's own name servers. */
  readonly servers?: readonly string[] | undefined;
  /** Milliseconds to wait for a response from a name server. Each server is queried twice. Defaults to 2,500. */
  readonly timeoutMs?: number;
  /** Maximum time to resolve a name, in milliseconds. Defaults to 10,000. */
  readonly limitMs?: number;
  /** Path of the hosts file. Defaults to `/etc/hosts`. */
  readonly hostsFile?: string;
  /** Search domains for names without a dot. Defaults to those in /etc/resolv.conf. */
  readonly searchDomains?: readonly string[];
}

/** Milliseconds to wait for the addresses of one family after those of the other are known. */
const FURTHER_MS = 500;

const LOOPBACK: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Returns a resolver that queries name servers without blocking a thread. It does not use getaddrinfo(), which occupies
 * one of the few threads of the process: a few names whose servers never respond would then delay all other names. The
 * hosts file has priority, `localhost` is the loopback (RFC 6761 §6.3), and names without a dot are also looked up in
 * the search domains. Other sources of the system's resolver, such as mDNS, are not used.
 * @throws the errors of `dns.Resolver`: ENOTFOUND, ENODATA, ESERVFAIL, EREFUSED, ETIMEOUT.
 */
export function askNameServers(options: NameServersOptions = {}): Resolve {
  const { servers = getServers(), timeoutMs = 2_500, limitMs = 10_000, hostsFile = '/etc/hosts' } = options;
  const { searchDomains = readSearchDomains() } = options;
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2, maxTimeout: timeoutMs });
  resolver.setServers(servers);
  const hosts = new HostsFile(hostsFile);
  return async (hostname) => {
    const known = await hosts.find(hostname);
    if (known) return known;
    if (/(^|\.)localhost\.?$/i.test(hostname)) return LOOPBACK;
    const names = hostname.includes('.')
      ? [hostname]
      : [...searchDomains.map((domain) => `${hostname}.${domain}`), hostname];
    return withinLimit(hostname, limitMs, firstFound(resolver, names));
  };
}

async function firstFound(resolver: Resolver, names: readonly string[]): Promise<Address[]> {
  let failure: unknown;
  for (const name of names) {
    try {
      return await resolveBoth(resolver, name);
    } catch (error) {
      failure ??= error;
      if (!hasResponded(error)) throw error;
    }
  }
  throw failure;
}

/** Resolves both kinds of addresses. Some name servers never respond to queries for IPv6 addresses. */
async function resolveBoth(resolver: Resolver, name: string): Promise<Address[]> {
  const queries = [resolver.resolve4(name), resolver.resolve6(name)] as const;
  const [v4, v6] = await Promise.allSettled([orGivenUp(queries[0], queries[1]), orGivenUp(queries[1], queries[0])]);
  const found: Address[] = [];
  if (v4.status === 'fulfilled') for (const address of v4.value) found.push({ address, family: 4 });
  if (v6.status === 'fulfilled') for (const address of v6.value) found.push({ address, family: 6 });
  if (found.length > 0 || v4.status === 'fulfilled') return found;
  // Only responses to both queries, A and AAAA, prove that the name has no address.
  throw hasResponded(v4.reason) && v6.status === 'rejected' ? v6.reason : v4.reason;
}

/** Waits for a query, but only for FURTHER_MS after the other query has found addresses. */
async function orGivenUp(query: Promise<string[]>, other: Promise<string[]>): Promise<string[]> {
  const giveUp = Promise.withResolvers<string[]>();
  let timer: NodeJS.Timeout | undefined;
  other.then(
    () => {
      timer = setTimeout(giveUp.resolve, FURTHER_MS, []);
    },
    () => undefined,
  );
  try {
    return await Promise.race([query, giveUp.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Parses a list such as `192.0.2.53, [2001:db8::53]:5353`. Returns undefined for an empty list, which stands for the
 * machine's own name servers.
 * @throws Error if an entry is not an IP address with an optional port.
 */
export function parseNameServers(text: string): readonly string[] | undefined {
  const servers = text.split(',').flatMap((part) => part.trim() || []);
  const wrong = servers.find((server) => !isNameServer(server));
  if (wrong !== undefined) {
    throw new Error(`must be IP addresses with optional ports such as 192.0.2.53,[2001:db8::53]:5353, not "${wrong}"`);
  }
  return servers.length > 0 ? servers : undefined;
}

function isNameServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([\d.]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  return isIP(v6 ?? v4 ?? '') === (v6 ? 6 : 4) && Number(port ?? 53) >= 1 && Number(port ?? 53) <= 65_535;
}

function hasResponded(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

/**
 * Rejects with ETIMEOUT after `limitMs`. Name servers are queried one after the other, so without this limit several
 * servers that never respond would take longer than any check.
 */
async function withinLimit<Result>(hostname: string, limitMs: number, work: Promise<Result>): Promise<Result> {
  const limit = Promise.withResolvers<never>();
  const timeout = Object.assign(new Error(`queryA ETIMEOUT ${hostname}`), { code: 'ETIMEOUT', hostname });
  const timer = setTimeout(() => limit.reject(timeout), limitMs);
  try {
    return await Promise.race([work, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the last `search` or `domain` line, which overrides earlier ones (resolv.conf(5)). */
function readSearchDomains(): readonly string[] {
  try {
    const lines = readFileSync('/etc/resolv.conf', 'utf8').split('\n');
    const last = lines.findLast((line) => /^\s*(search|domain)\s/.test(line));
    return last?.trim().split(/\s+/).slice(1) ?? [];
  } catch {
    return [];
  }
}
