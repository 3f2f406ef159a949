import { isIPv6 } from 'node:net';

/**
 * Number of 16-bit groups of an IPv6 address that identify a network. The remaining groups identify a host in it (RFC
 * 4291 §2.5.4).
 */
const NETWORK_GROUPS = 4;

/**
 * Returns an IPv4 address unchanged, and the /64 network of an IPv6 address, because one host may use any address of
 * its network.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [head = '', tail] = address.toLowerCase().split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after].slice(0, NETWORK_GROUPS);
  return groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':');
}

function groupsOf(text: string): string[] {
  if (text === '') return [];
  // A last group in the form of an IPv4 address counts as two groups.
  return text.split(':').flatMap((group) => (group.includes('.') ? ['', ''] : [group]));
}
