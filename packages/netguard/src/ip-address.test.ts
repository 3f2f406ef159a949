import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contains, parseAddress, parseRange } from './ip-address.ts';

const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
const sparseGroups = fc.array(fc.constantFrom(0, 0, 0, 1, 0xffff), { minLength: 8, maxLength: 8 });

test('all spellings of an IPv6 address are parsed as the same number', () => {
  fc.assert(
    fc.property(fc.oneof(groups, sparseGroups), (parts) => {
      const long = parts.map((part) => part.toString(16).padStart(4, '0')).join(':');
      const compressed = new URL(`http://[${long}]`).hostname.slice(1, -1);
      const [g6 = 0, g7 = 0] = parts.slice(6);
      const head = parts.slice(0, 6).map((part) => part.toString(16));
      const dotted = `${head.join(':')}:${g6 >> 8}.${g6 & 255}.${g7 >> 8}.${g7 & 255}`;
      const read = parseAddress(long);
      expect(read?.bits).toBe(
        read?.family === 6 ? BigInt(`0x${long.replaceAll(':', '')}`) : BigInt((g6 << 16) + g7) & 0xffffffffn,
      );
      expect(parseAddress(long.toUpperCase())).toEqual(read);
      expect(parseAddress(compressed)).toEqual(read);
      expect(parseAddress(dotted)).toEqual(read);
    }),
  );
});

test("a range contains the same addresses as Node's BlockList", () => {
  fc.assert(
    fc.property(sparseGroups, sparseGroups, fc.integer({ min: 1, max: 128 }), (base, other, length) => {
      const text = (parts: number[]) => parts.map((part) => part.toString(16)).join(':');
      const address = parseAddress(text(other));
      const start = parseAddress(text(base));
      fc.pre(address?.family === 6 && start?.family === 6);
      const oracle = new BlockList();
      oracle.addSubnet(text(base), length, 'ipv6');
      expect(contains({ ...start, length }, address)).toBe(oracle.check(text(other), 'ipv6'));
    }),
  );
});

test('an IPv4-mapped address is parsed as its IPv4 address', () => {
  expect(parseAddress('::ffff:127.0.0.1')).toEqual({ family: 4, bits: 0x7f000001n });
  expect(parseAddress('::FFFF:7F00:1')).toEqual({ family: 4, bits: 0x7f000001n });
});

test('an IPv6 zone is preserved', () => {
  expect(parseAddress('fe80::1%eth0')).toMatchObject({ family: 6, zone: 'eth0' });
});

test.each([
  '',
  'localhost',
  '127.1',
  '0177.0.0.1',
  '2130706433',
  '[::1]',
  '::1/128',
  '1.2.3.4.5',
  '::1::',
  ' ::1',
  '1.2.3.4%eth0',
])('the text %j is not an address', (text) => {
  expect(parseAddress(text)).toBeUndefined();
});

test('an address without a prefix is parsed as a range of one address', () => {
  expect(parseRange('10.0.0.1')).toEqual({ family: 4, bits: 0x0a000001n, length: 32 });
  expect(parseRange('::1')).toEqual({ family: 6, bits: 1n, length: 128 });
});

test.each([
  ['lan', /neither an IP address nor a CIDR/],
  ['10.0.0.0/8/8', /neither an IP address nor a CIDR/],
  ['fe80::1%eth0', /neither an IP address nor a CIDR/],
  ['10.0.0.0/33', /from 0 to 32/],
  ['10.0.0.0/', /from 0 to 32/],
  ['::/129', /from 0 to 128/],
  ['10.0.0.1/8', /bits set behind its prefix/],
])('the text %j is not a range', (text, reason) => {
  expect(() => parseRange(text)).toThrow(reason);
});
