import { contains, type IpAddress, type IpRange, lowIpv4, parseRange } from './ip-address.ts';

/**
 * IPv4 space where no public host lives.
 * Source: the IANA IPv4 Special-Purpose Address Registry (RFC 6890), multicast (RFC 5771) and reserved (RFC 1112 §4).
 *
 * The documentation ranges are in it: nothing public answers there, so a check of one is a mistake or a probe of a
 * network that misuses them.
 */
const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8', // "this network"; Linux dials 0.0.0.0 as loopback
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; holds the metadata address of Alibaba Cloud, 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16', // Azure's wire server: in public space, yet answers inside every Azure machine
  '169.254.0.0/16', // link-local; holds 169.254.169.254, the metadata address of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments; holds the metadata address of Oracle Cloud, 192.0.0.192
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relay anycast, withdrawn
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved; holds broadcast, 255.255.255.255
].map(parseRange);

/**
 * The only IPv6 space that IANA hands out to public hosts. Naming what is public, and not what is forbidden, covers
 * loopback, unspecified, IPv4-compatible, link-local, site-local, unique local (with fd00:ec2::254 and other metadata
 * addresses), multicast, local NAT64 (64:ff9b:1::/48, whose IPv4 may sit anywhere) and all that is not yet assigned.
 */
const GLOBAL_UNICAST = parseRange('2000::/3');

/** Source: the IANA IPv6 Special-Purpose Address Registry, as far as it lies inside global unicast. */
const NOT_PUBLIC_IPV6 = [
  '2001::/23', // IETF protocol assignments; holds Teredo, benchmarks and ORCHID
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
].map(parseRange);

const NAT64 = parseRange('64:ff9b::/96');
const SIX_TO_FOUR = parseRange('2002::/16');

/** Whether an address is public. A scoped address is not: its zone is a local interface. */
export function isPublic(address: IpAddress): boolean {
  if (address.zone !== undefined) return false;
  const reached = reachedAddress(address);
  if (reached.family === 4) return !isWithin(NOT_PUBLIC_IPV4, reached);
  return contains(GLOBAL_UNICAST, reached) && !isWithin(NOT_PUBLIC_IPV6, reached);
}

/**
 * The address where a packet finally arrives: the IPv4 address inside NAT64 (RFC 6052 §2.1) and 6to4 (RFC 3056 §2),
 * since a gateway unwraps it; any other address itself.
 */
export function reachedAddress(address: IpAddress): IpAddress {
  if (contains(NAT64, address)) return { family: 4, bits: lowIpv4(address.bits) };
  if (contains(SIX_TO_FOUR, address)) return { family: 4, bits: lowIpv4(address.bits >> 80n) };
  return address;
}

function isWithin(ranges: readonly IpRange[], address: IpAddress): boolean {
  return ranges.some((range) => contains(range, address));
}
