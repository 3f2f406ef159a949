import { contains, type IpAddress, type IpRange, parseRange } from './ip-address.ts';
import { isPublic, reachedAddress } from './public-address.ts';

/** The addresses that the operator opened in addition to the public ones. */
export type AllowedTargets = 'all' | readonly IpRange[];

/**
 * Reads `TOCSIN_ALLOW_PRIVATE_TARGETS`: empty for none, `all`, or CIDRs and bare addresses separated by commas.
 *
 * @throws Error that names the entry, and what is wrong with it.
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

/** Returns whether the operator's setting covers this address. `all` means every non-public address. */
export function opens(allowed: AllowedTargets, address: IpAddress): boolean {
  if (allowed === 'all') return !isPublic(address);
  const reached = reachedAddress(address);
  return allowed.some((range) => contains(range, address) || contains(range, reached));
}
