import { expect, test } from 'vitest';
import { AddressWindows } from './address-windows.ts';

const NOW = 1_000_000;

test('an address over the limit is refused until the one-minute window ends', () => {
  const windows = new AddressWindows(2);
  expect(windows.retryAfter('192.0.2.1', NOW)).toBeUndefined();
  windows.record('192.0.2.1', NOW);
  expect(windows.retryAfter('192.0.2.1', NOW)).toBeUndefined();
  windows.record('192.0.2.1', NOW + 10_000);
  expect(windows.retryAfter('192.0.2.1', NOW + 20_000)).toBe(40);
  expect(windows.retryAfter('192.0.2.1', NOW + 59_999)).toBe(1);
  expect(windows.retryAfter('192.0.2.1', NOW + 60_000)).toBeUndefined();
});

test('the limit of one address does not affect other addresses', () => {
  const windows = new AddressWindows(1);
  windows.record('192.0.2.1', NOW);
  expect(windows.retryAfter('192.0.2.1', NOW)).toBe(60);
  expect(windows.retryAfter('192.0.2.2', NOW)).toBeUndefined();
});

test('a limit of 0 means no limit', () => {
  const windows = new AddressWindows(0);
  for (let count = 0; count < 1_000; count += 1) windows.record('192.0.2.1', NOW);
  expect(windows.retryAfter('192.0.2.1', NOW)).toBeUndefined();
});

test('if the clock is set to an earlier time, the requests of an address are counted from 0 again', () => {
  const windows = new AddressWindows(1);
  windows.record('192.0.2.1', NOW);
  expect(windows.retryAfter('192.0.2.1', NOW - 3_600_000)).toBeUndefined();
});

test('addresses of one IPv6 /64 network share one counter', () => {
  const windows = new AddressWindows(1);
  windows.record('2001:db8:1:2::1', NOW);
  expect(windows.retryAfter('2001:db8:1:2:ffff::2', NOW)).toBe(60);
  expect(windows.retryAfter('2001:db8:1:3::1', NOW)).toBeUndefined();
});

test('requests over the limit of an IPv6 /64 network do not count towards the limit of its /48 network', () => {
  const windows = new AddressWindows(2);
  for (let count = 0; count < 100; count += 1) windows.record('2001:db8:1:1::1', NOW);
  expect(windows.retryAfter('2001:db8:1:1::1', NOW)).toBe(60);
  expect(windows.retryAfter('2001:db8:1:2::1', NOW)).toBeUndefined();
});

test('the limit of an IPv6 /48 network is ten times the limit of a /64 network', () => {
  const windows = new AddressWindows(2);
  for (let network = 0; network < 10; network += 1) {
    const address = `2001:db8:1:${network.toString(16)}::1`;
    for (let count = 0; count < 2; count += 1) {
      expect(windows.retryAfter(address, NOW)).toBeUndefined();
      windows.record(address, NOW);
    }
  }
  expect(windows.retryAfter('2001:db8:1:ffff::1', NOW)).toBe(60);
  expect(windows.retryAfter('2001:db8:2:ffff::1', NOW)).toBeUndefined();
});
