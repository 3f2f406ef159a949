import { expect, test } from 'vitest';
import { parseReferences } from './reference.ts';

test('a list of references is parsed into hosts and ports', () => {
  expect(parseReferences('dns.google:443, 9.9.9.9:53,[2620:fe::fe]:443,')).toEqual([
    { host: 'dns.google', port: 443 },
    { host: '9.9.9.9', port: 53 },
    { host: '2620:fe::fe', port: 443 },
  ]);
  expect(parseReferences('')).toEqual([]);
});

test.each(['dns.google', 'dns.google:0', 'dns.google:65536', 'https://dns.google:443', '2620:fe::fe:443', ':443'])(
  'the entry "%s" is rejected, and the error names it',
  (entry) => {
    expect(() => parseReferences(`9.9.9.9:53,${entry}`)).toThrow(`"${entry}" is not host:port`);
  },
);
