import { describe, expect, test } from 'vitest';
import { parseAddress } from './ip-address.ts';
import { isPublic } from './public-address.ts';

function accepts(text: string): boolean {
  const address = parseAddress(text);
  if (!address) throw new Error(`"${text}" is no address`);
  return isPublic(address);
}

describe('addresses that are public', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '168.63.129.15',
    '168.63.129.17',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
  ])('address %s is public', (text) => {
    expect(accepts(text)).toBe(true);
  });
});

describe('addresses that are not public', () => {
  test.each([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'this network'],
    ['10.0.0.0', 'private'],
    ['10.255.255.255', 'private'],
    ['100.64.0.0', 'carrier-grade NAT'],
    ['100.127.255.255', 'carrier-grade NAT'],
    ['100.100.100.200', 'metadata of Alibaba Cloud'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['168.63.129.16', 'wire server of Azure'],
    ['169.254.0.1', 'link-local'],
    ['169.254.169.254', 'metadata'],
    ['169.254.170.2', 'credentials of ECS tasks'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.1', 'protocol assignments'],
    ['192.0.0.192', 'metadata of Oracle Cloud'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['192.168.0.1', 'private'],
    ['192.168.255.255', 'private'],
    ['198.18.0.1', 'benchmarks'],
    ['198.19.255.255', 'benchmarks'],
    ['198.51.100.7', 'documentation'],
    ['203.0.113.7', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback, written out'],
    ['::127.0.0.1', 'IPv4-compatible loopback'],
    ['::8.8.8.8', 'IPv4-compatible, withdrawn'],
    ['::ffff:127.0.0.1', 'mapped loopback'],
    ['::ffff:7f00:1', 'mapped loopback in hex'],
    ['0:0:0:0:0:FFFF:A9FE:A9FE', 'mapped metadata'],
    ['::ffff:10.1.2.3', 'mapped private'],
    ['::ffff:0:127.0.0.1', 'translated loopback (SIIT)'],
    ['64:ff9b::7f00:1', 'loopback behind NAT64'],
    ['64:ff9b::169.254.169.254', 'metadata behind NAT64'],
    ['64:ff9b:1::8.8.8.8', 'local NAT64'],
    ['100::1', 'discard'],
    ['2001::1', 'Teredo'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'Teredo'],
    ['2001:2::1', 'benchmarks'],
    ['2001:20::1', 'ORCHID'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', 'loopback behind 6to4'],
    ['2002:a9fe:a9fe::1', 'metadata behind 6to4'],
    ['2002:c0a8:101::1', 'private behind 6to4'],
    ['3fff::1', 'documentation'],
    ['4000::1', 'not assigned'],
    ['5f00::1', 'segment routing'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'metadata of EC2'],
    ['fd20:ce::254', 'metadata of Google Cloud'],
    ['fdff:ffff::1', 'unique local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['2606:4700::1111%eth0', 'sent through a local interface of choice'],
    ['::ffff:8.8.8.8%eth0', 'mapped, with a zone'],
    ['febf::1', 'link-local'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['ff0e::1', 'multicast'],
  ])('address %s is not public: %s', (text) => {
    expect(accepts(text)).toBe(false);
  });
});
