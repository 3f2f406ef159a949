import { expect, test } from 'vitest';
import { opens, parseAllowedTargets, parseClosedPorts } from './allowed-targets.ts';
import { parseAddress } from './ip-address.ts';

function isOpen(allowed: string, text: string): boolean {
  const address = parseAddress(text);
  if (!address) throw new Error(`"${text}" is no address`);
  return opens(parseAllowedTargets(allowed), address);
}

test.each([
  ['', '127.0.0.1', false],
  ['127.0.0.0/8,::1/128', '127.8.9.10', true],
  ['127.0.0.0/8,::1/128', '::1', true],
  ['127.0.0.0/8,::1/128', '::ffff:127.0.0.1', true],
  ['127.0.0.0/8,::1/128', '::2', false],
  ['127.0.0.0/8,::1/128', '10.0.0.1', false],
  ['127.0.0.0/8,::1/128', '169.254.169.254', false],
  [' 10.1.2.3 , 192.168.0.0/16, ', '10.1.2.3', true],
  ['10.1.2.3', '10.1.2.4', false],
  ['10.0.0.0/8', '64:ff9b::10.0.0.1', true],
  ['10.0.0.0/8', '2002:a00:1::1', true],
  ['fe80::/10', 'fe80::1%eth0', true],
  ['::/0', '::ffff:127.0.0.1', false],
  ['0.0.0.0/0', '::1', false],
  ['203.0.113.0/24', '203.0.113.9', true],
  ['8.8.8.8', '8.8.8.8', true],
  ['all', '169.254.169.254', true],
  ['all', 'fe80::1%eth0', true],
  ['all', '8.8.8.8', false],
])('with the setting %j, %s is allowed: %s', (allowed, address, expected) => {
  expect(isOpen(allowed, address)).toBe(expected);
});

test.each([
  ['all,10.0.0.0/8', '"all" stands alone'],
  ['10.0.0.0/8,everything', '"everything" is neither an IP address nor a CIDR such as 10.0.0.0/8'],
  ['ALL', '"ALL" is neither'],
  ['10.0.0.0/40', 'the prefix length of "10.0.0.0/40" must be a number from 0 to 32'],
  ['192.168.1.1/16', '"192.168.1.1/16" has bits set behind its prefix'],
])('the error for the setting %j names the variable, the entry and the reason', (text, reason) => {
  expect(() => parseAllowedTargets(text)).toThrow(`TOCSIN_ALLOW_PRIVATE_TARGETS: ${reason}`);
});

test.each([
  ['', []],
  ['5432', [5432]],
  [' 1, 65535 ,', [1, 65_535]],
])('the setting %j closes the ports %j', (text, ports) => {
  expect([...parseClosedPorts(text)]).toEqual(ports);
});

test.each(['0', '65536', '-1', '80-90', 'http', '1e3'])('the closed-port setting %j is refused', (text) => {
  expect(() => parseClosedPorts(text)).toThrow(`TOCSIN_CLOSED_PORTS: "${text}" is not a port from 1 to 65535`);
});
