import { contains, type IpAddress, type IpRange, lowIpv4, parseRange } from './ip-address.ts';

/**
 * IPv4 ranges without public hosts. Source: the IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast (RFC
 * 5771) and reserved addresses (RFC 1112 §4). The documentation ranges are included, because no public host has such an
 * address.
 */
const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8', // "this network"; Linux dials 0.0.0.0 as loopback
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; includes the metadata address of Alibaba Cloud, 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16', // Azure's wire server: a public address that responds only inside Azure machines
  '169.254.0.0/16', // link-local; includes 169.254.169.254, the metadata address of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments; includes the metadata address of Oracle Cloud, 192.0.0.192
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relay anycast, withdrawn
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved; includes broadcast, 255.255.255.255
].map(parseRange);

/**
 * The only IPv6 range with public hosts. Listing public instead of forbidden ranges excludes loopback, unspecified,
 * IPv4-compatible, link-local, site-local and unique local addresses (with metadata addresses such as fd00:ec2::254),
 * multicast, local NAT64 (64:ff9b:1::/48, in which the position of the IPv4 address varies) and unassigned ranges.
 */
const GLOBAL_UNICAST = parseRange('2000::/3');

/** Non-public ranges within global unicast. Source: the IANA IPv6 Special-Purpose Address Registry. */
const NOT_PUBLIC_IPV6 = [
  '2001::/23', // IETF protocol assignments; includes Teredo, benchmarks and ORCHID
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
].map(parseRange);

const NAT64 = parseRange('64:ff9b::/96');
const SIX_TO_FOUR = parseRange('2002::/16');

/** Returns whether an address is public. A scoped address is not public, because its zone is a local interface. */
export function isPublic(address: IpAddress): boolean {
  if (address.zone !== undefined) return false;
  const reached = reachedAddress(address);
  if (reached.family === 4) return !isWithin(NOT_PUBLIC_IPV4, reached);
  return contains(GLOBAL_UNICAST, reached) && !isWithin(NOT_PUBLIC_IPV6, reached);
}

/**
 * Returns the address that a packet reaches: for NAT64 (RFC 6052 §2.1) and 6to4 (RFC 3056 §2) the IPv4 address inside,
 * because a gateway extracts it; otherwise the address itself.
 */
export function reachedAddress(address: IpAddress): IpAddress {
  if (contains(NAT64, address)) return { family: 4, bits: lowIpv4(address.bits) };
  if (contains(SIX_TO_FOUR, address)) return { family: 4, bits: lowIpv4(address.bits >> 80n) };
  return address;
}

function isWithin(ranges: readonly IpRange[], address: IpAddress): boolean {
  return ranges.some((range) => contains(range, address));
}
