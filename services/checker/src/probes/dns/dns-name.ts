const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** Returns the name of the PTR record of an IP address (RFC 1035 §3.5, RFC 3596 §2.5); undefined for other strings. */
export function reverseName(host: string): string | undefined {
  const v4 = IPV4.exec(host);
  if (v4) return `${v4.slice(1).reverse().join('.')}.in-addr.arpa`;
  if (!host.includes(':')) return undefined;
  const groups = groupsOf(host);
  return groups && `${[...groups.join('')].reverse().join('.')}.ip6.arpa`;
}

/** Returns whether an ASCII name is within the length limits of DNS (RFC 1035 §2.3.4). */
export function isDnsName(name: string): boolean {
  const labels = name.replace(/\.$/, '').split('.');
  return name.length <= 254 && labels.every((label) => label.length >= 1 && label.length <= 63);
}

/** Returns the canonical form of an IPv6 address (RFC 5952), and other strings unchanged. */
export function canonicalIpv6(text: string): string {
  const url = URL.parse(`http://[${text}]/`);
  return url ? url.hostname.slice(1, -1) : text;
}

/** Returns the eight groups of an IPv6 address, four digits each. */
function groupsOf(address: string): string[] | undefined {
  if (!URL.canParse(`http://[${address}]/`)) return undefined;
  const [head = '', tail] = canonicalIpv6(address).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const gap = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...gap, ...after].map((group) => group.padStart(4, '0'));
}
