import { isIP } from 'node:net';

/** An IP address as a number, so that all spellings of an address are equal. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
  /** Interface of a scoped IPv6 address: `eth0` in `fe80::1%eth0`. */
  readonly zone?: string;
}

/** All addresses whose first `length` bits equal the first `length` bits of `bits`. */
export interface IpRange {
  readonly family: 4 | 6;
  readonly bits: bigint;
  readonly length: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;
const IPV4_MAPPED = 0xffffn;

/**
 * Parses an address in one of the forms that Node's `net` dials without a lookup; undefined for other text. An
 * IPv4-mapped IPv6 address (`::ffff:127.0.0.1`, RFC 4291 §2.5.5.2) is returned as IPv4, because the kernel dials the
 * IPv4 address.
 */
export function parseAddress(text: string): IpAddress | undefined {
  const family = isIP(text);
  if (family === 4) return { family: 4, bits: ipv4Bits(text) };
  if (family !== 6) return undefined;
  const [address = '', zone] = text.split('%');
  const bits = ipv6Bits(address);
  const mapped = bits >> 32n === IPV4_MAPPED;
  const parsed: IpAddress = mapped ? { family: 4, bits: lowIpv4(bits) } : { family: 6, bits };
  return zone === undefined ? parsed : { ...parsed, zone };
}

/**
 * Parses a CIDR such as `10.0.0.0/8`, or an address as a range of one address.
 * @throws Error with the reason.
 */
export function parseRange(text: string): IpRange {
  const [base = '', prefix, ...rest] = text.split('/');
  const address = parseAddress(base);
  if (!address || address.zone !== undefined || rest.length > 0) {
    throw new Error(`"${text}" is neither an IP address nor a CIDR such as 10.0.0.0/8`);
  }
  const { family, bits } = address;
  const width = WIDTH[family];
  const length = prefix === undefined ? width : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!(length <= width)) throw new Error(`the prefix length of "${text}" must be a number from 0 to ${width}`);
  const hostBits = BigInt(width - length);
  if ((bits >> hostBits) << hostBits !== bits) {
    throw new Error(
      `"${text}" has bits set behind its prefix; write the first address of the range, or leave out the /${length}`,
    );
  }
  return { family, bits, length };
}

export function contains(range: IpRange, address: IpAddress): boolean {
  if (range.family !== address.family) return false;
  const hostBits = BigInt(WIDTH[range.family] - range.length);
  return range.bits >> hostBits === address.bits >> hostBits;
}

/** Returns the IPv4 address in the last 32 bits. */
export function lowIpv4(bits: bigint): bigint {
  return BigInt.asUintN(32, bits);
}

function ipv4Bits(dotted: string): bigint {
  return dotted.split('.').reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n);
}

/** Parses an address that `isIP` has accepted, without checking the syntax again. */
function ipv6Bits(text: string): bigint {
  const hexOnly = text.replace(/[^:]+\.[^:]+$/, (dotted) => {
    const bits = ipv4Bits(dotted);
    return `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
  });
  const [head = [], tail = []] = hexOnly.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...gap, ...tail].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}
