import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/** An address in the form that `net.connect` takes and `dns.lookup` returns. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

export type Resolve = (hostname: string) => Promise<readonly Address[]>;

/**
 * Normalizes a host for address checks, connections and SNI: an IP literal without brackets, or a lower-case ASCII
 * name. Follows the host parser of the URL standard, so that 2130706433, 0x7f.1 and 0177.0.0.1 all become 127.0.0.1, as
 * in a URL.
 * @throws TypeError if the text is not a host.
 */
export function normalizeHost(host: string): string {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIP(bare) !== 0) return bare;
  // domainToASCII ignores everything after these characters, because they end the host in a URL.
  const ascii = /[/\\?#]/.test(bare) ? '' : domainToASCII(bare);
  if (ascii === '') throw new TypeError(`"${host}" is neither a host name nor an IP address`);
  return ascii;
}

/** Returns the addresses of a normalized host, not vetted yet. The address of an IP literal is the literal itself. */
export async function findAddresses(host: string, resolve: Resolve): Promise<readonly Address[]> {
  const family = isIP(host);
  return family === 4 || family === 6 ? [{ address: host, family }] : resolve(host);
}
