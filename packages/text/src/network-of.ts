import { isIPv6 } from 'node:net';

/**
 * Number of 16-bit groups of an IPv6 address that identify a network. The remaining groups identify a host in it (RFC
 * 4291 §2.5.4).
 */
const NETWORK_GROUPS = 4;

/**
 * Number of 16-bit groups that identify a site, such as an office. A provider usually assigns a /48 network to each
 * site (RFC 6177).
 */
const SITE_GROUPS = 3;

/**
 * Returns an IPv4 address unchanged, and an IPv4-mapped IPv6 address as IPv4. For any other IPv6 address, returns its
 * /64 network, because one host may use all addresses of the network.
 */
export function networkOf(address: string): string {
  return firstGroups(address, NETWORK_GROUPS) ?? mappedOf(address) ?? address;
}

/**
 * Returns the /48 network of an IPv6 address, such as `2001:db8:1/48`; undefined for IPv4 and IPv4-mapped addresses.
 */
export function siteOf(address: string): string | undefined {
  const groups = firstGroups(address, SITE_GROUPS);
  return groups && `${groups}/48`;
}

/** Returns the IPv4 address that an IPv6 address contains (RFC 4291 §2.5.5.2). */
function mappedOf(address: string): string | undefined {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
}

function firstGroups(address: string, count: number): string | undefined {
  if (!address.includes(':') || !isIPv6(address) || mappedOf(address)) return undefined;
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after].slice(0, count);
  return groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':');
}

function groupsOf(text: string): string[] {
  if (text === '') return [];
  // If the last group has the form of an IPv4 address, it counts as two groups.
  return text.split(':').flatMap((group) => (group.includes('.') ? ['', ''] : [group]));
}
