import { expect, test } from 'vitest';
import { preferredEncoding } from './preferred-encoding.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate, zstd', 'zstd'],
  ['GZip', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['br; q=0.5 , zstd ; q=0.5', 'br'],
  ['br;q=0, zstd;q=0.000', undefined],
  ['*', 'br'],
  ['br;q=0, *', 'zstd'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['gzip, identity;q=0.5', 'gzip'],
  ['deflate, compress', undefined],
  ['gzip;q=nonsense', undefined],
  ['gzip;q=7', undefined],
  [['gzip;q=0.1', 'zstd'], 'zstd'],
])('the preferred encoding for the header %j is %s', (header, encoding) => {
  expect(preferredEncoding(header)).toBe(encoding);
});
