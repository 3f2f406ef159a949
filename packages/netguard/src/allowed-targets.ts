import { contains, type IpAddress, type IpRange, parseRange } from './ip-address.ts';
import { isPublic, reachedAddress } from './public-address.ts';

/** Addresses that the operator allowed in addition to the public ones. */
export type AllowedTargets = 'all' | readonly IpRange[];

/**
 * Parses `TOCSIN_ALLOW_PRIVATE_TARGETS`: `all`, or a comma-separated list of CIDRs and addresses; empty for none.
 * @throws Error that names the invalid entry and the reason.
 */
export function parseAllowedTargets(text: string): AllowedTargets {
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.length === 1 && entries[0] === 'all') return 'all';
  return entries.filter((entry) => entry !== '').map(parseEntry);
}

function parseEntry(entry: string): IpRange {
  if (entry === 'all') throw new Error('TOCSIN_ALLOW_PRIVATE_TARGETS: "all" stands alone, without other entries');
  try {
    return parseRange(entry);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`TOCSIN_ALLOW_PRIVATE_TARGETS: ${reason}`, { cause });
  }
}

/**
 * Parses `TOCSIN_CLOSED_PORTS`: ports separated by commas; empty for none.
 * @throws Error that names the invalid entry.
 */
export function parseClosedPorts(text: string): ReadonlySet<number> {
  const entries = text.split(',').map((entry) => entry.trim());
  return new Set(entries.filter((entry) => entry !== '').map(parsePort));
}

function parsePort(entry: string): number {
  const port = /^\d{1,5}$/.test(entry) ? Number(entry) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new Error(`TOCSIN_CLOSED_PORTS: "${entry}" is not a port from 1 to 65535`);
}

/** Returns whether the operator's setting covers this address. `all` means every non-public address. */
export function opens(allowed: AllowedTargets, address: IpAddress): boolean {
  if (allowed === 'all') return !isPublic(address);
  const reached = reachedAddress(address);
  return allowed.some((range) => contains(range, address) || contains(range, reached));
}
