import { expect, test } from 'vitest';
import { pageAddress } from './page-address.ts';

test.each([
  ['status.example.com', '/', { host: 'status.example.com', path: '/' }],
  ['Status.Example.com', '/?utm=1', { host: 'status.example.com', path: '/' }],
  ['localhost', '/s/acme', { host: 'localhost', path: '/s/acme' }],
  ['localhost', '/s/acme/', { host: 'localhost', path: '/s/acme' }],
  ['localhost', '/s/acme?a=/b/', { host: 'localhost', path: '/s/acme' }],
  ['localhost', '/s/Acme', { host: 'localhost', path: '/s/Acme' }],
  ['localhost', '/s', { host: 'localhost', path: '/s' }],
  ['localhost', '/s/?x', { host: 'localhost', path: '/s' }],
  ['h'.repeat(255), '/', { host: 'h'.repeat(255), path: '/' }],
  ['h'.repeat(256), '/', undefined],
  ['localhost', `/s/${'x'.repeat(252)}`, { host: 'localhost', path: `/s/${'x'.repeat(252)}` }],
  ['localhost', `/s/${'x'.repeat(253)}`, undefined],
  ['status.example.com', '/api/v2/summary.json', { host: 'status.example.com', path: '/api/v2/summary.json' }],
  ['status.example.com', '/history.rss?x', { host: 'status.example.com', path: '/history.rss' }],
  ['status.example.com', '/logo/1.png', { host: 'status.example.com', path: '/logo/1.png' }],
  ['status.example.com', '/preview/1.png', { host: 'status.example.com', path: '/preview/1.png' }],
  ['status.example.com', '/embed?theme=dark', { host: 'status.example.com', path: '/embed' }],
  ['a/s', '/', undefined],
  ['localhost', '/api/v1/me', undefined],
  ['localhost', '/status', undefined],
])('the page address of host $0 and URL $1 is $2', (host, url, expected) =>
  expect(pageAddress(host, url)).toEqual(expected),
);
