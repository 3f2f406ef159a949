import { expect, test } from 'vitest';
import { networkOf, siteOf } from './network-of.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002::6', '2001:db8:1:2'],
  ['2001:db8:1:3::6', '2001:db8:1:3'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['2001:db8:1:2::192.0.2.1', '2001:db8:1:2'],
])('the network of %s is %s', (address, network) => expect(networkOf(address)).toBe(network));

test.each([
  ['192.0.2.1', undefined],
  ['::ffff:192.0.2.1', undefined],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1/48'],
  ['2001:0DB8:0001:0003::6', '2001:db8:1/48'],
  ['2001:db8:2::6', '2001:db8:2/48'],
  ['::1', '0:0:0/48'],
])('the /48 network of %s is %s', (address, site) => expect(siteOf(address)).toBe(site));
