import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockedAddressError, createNetguard } from '../src/index.ts';

const guard = createNetguard({
  allow: [],
  resolve: async (name) => {
    throw new Error(`${name} went to the resolver`);
  },
});

// First address and prefix length of each blocked range. The list does not come from the guard, so that the test
// detects a range that the guard lacks.
const blockedIpv4 = fc.constantFrom<[number, number]>(
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa83f8110, 32],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0000200, 24],
  [0xc0586300, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xc6336400, 24],
  [0xcb007100, 24],
  [0xe0000000, 4],
  [0xf0000000, 4],
);

const blockedIpv6 = fc.constantFrom<[bigint, number]>(
  [0n, 96],
  [0x0064ff9b0001n << 80n, 48],
  [0x0100n << 112n, 64],
  [0x20010000n << 96n, 32],
  [0x200100000n << 92n, 23],
  [0x20010db8n << 96n, 32],
  [0x20027fn << 104n, 24],
  [0x3fffn << 112n, 20],
  [0xfcn << 120n, 7],
  [0xfe8n << 116n, 10],
  [0xfecn << 116n, 10],
  [0xffn << 120n, 8],
);

/** Returns an address in a range, with random host bits. */
function inside(base: bigint, length: number, width: number, noise: bigint): bigint {
  return base | BigInt.asUintN(width - length, noise);
}

test('an address in a blocked IPv4 range is blocked in every spelling', async () => {
  await fc.assert(
    fc.asyncProperty(blockedIpv4, fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), async ([base, length], noise) => {
      const bits = Number(inside(BigInt(base), length, 32, noise));
      const bytes = [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255];
      const dotted = bytes.join('.');
      const hex = `${(bits >>> 16).toString(16)}:${(bits & 0xffff).toString(16)}`;
      const addresses = [
        dotted,
        `::ffff:${dotted}`,
        `::FFFF:${hex.toUpperCase()}`,
        `0:0:0:0:0:ffff:${hex}`,
        `::ffff:${dotted}%eth0`,
        `::${dotted}`,
        `64:ff9b::${dotted}`,
        `64:ff9b::${hex}`,
        `64:ff9b:1::${hex}`,
        `2002:${hex}::1`,
      ];
      const spellings = [
        `${bits}`,
        `0x${bits.toString(16)}`,
        `0${bits.toString(8)}`,
        bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
        bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
        `${bytes[0]}.${bits & 0xffffff}`,
        `${dotted}.`,
        ...addresses.slice(1).map((address) => `[${address}]`),
      ];
      for (const address of addresses) expect(guard.isAllowed(address), address).toBe(false);
      for (const host of [...addresses, ...spellings]) {
        await expect(guard.resolve(host, 80), host).rejects.toThrow(BlockedAddressError);
      }
    }),
    { numRuns: 300 },
  );
});

test('an address in a blocked IPv6 range is blocked in every spelling', async () => {
  await fc.assert(
    fc.asyncProperty(blockedIpv6, fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), async ([base, length], noise) => {
      const digits = inside(base, length, 128, noise).toString(16).padStart(32, '0');
      const long = digits.replace(/(.{4})(?!$)/g, '$1:');
      const compressed = new URL(`http://[${long}]`).hostname.slice(1, -1);
      for (const address of [long, compressed, long.toUpperCase(), `${compressed}%eth0`]) {
        expect(guard.isAllowed(address), address).toBe(false);
        await expect(guard.resolve(`[${address}]`, 80), address).rejects.toThrow(BlockedAddressError);
      }
    }),
    { numRuns: 300 },
  );
});
