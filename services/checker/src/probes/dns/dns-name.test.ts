import { expect, test } from 'vitest';
import { canonicalIpv6, isDnsName, reverseName } from './dns-name.ts';

test.each([
  ['192.0.2.7', '7.2.0.192.in-addr.arpa'],
  ['2001:db8::7', '7.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
  ['::', `${'0.'.repeat(32)}ip6.arpa`],
  ['1:2:3:4:5:6:7:8', '8.0.0.0.7.0.0.0.6.0.0.0.5.0.0.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.ip6.arpa'],
  ['example.com', undefined],
  ['1:2', undefined],
])('the name of the PTR record of %s is %s', (host, name) => {
  expect(reverseName(host)).toBe(name);
});

test.each([
  ['example.com', true],
  ['example.com.', true],
  ['localhost', true],
  [`${'x'.repeat(63)}.example`, true],
  [`${'x'.repeat(64)}.example`, false],
  ['a..b', false],
  ['', false],
  ['.', false],
  [Array(127).fill('x').join('.'), true],
  [Array(129).fill('x').join('.'), false],
])('the name %j is within the limits of DNS: %s', (name, fits) => {
  expect(isDnsName(name)).toBe(fits);
});

test.each([
  ['2001:0DB8:0:0:0:0:0:7', '2001:db8::7'],
  ['::ffff:192.0.2.7', '::ffff:c000:207'],
  ['v=spf1 ip6:2001:db8::/32', 'v=spf1 ip6:2001:db8::/32'],
])('the canonical form of %s is %s', (text, canonical) => {
  expect(canonicalIpv6(text)).toBe(canonical);
});
