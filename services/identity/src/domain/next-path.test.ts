import { expect, test } from 'vitest';
import { nextPath } from './next-path.ts';

test.each([
  ['/account', '/account'],
  ['/account/members?page=2', '/account/members?page=2'],
  [
    '/oauth/authorize?client_id=x&redirect_uri=http%3A%2F%2F127.0.0.1%2F',
    '/oauth/authorize?client_id=x&redirect_uri=http%3A%2F%2F127.0.0.1%2F',
  ],
  ['/a/../b', '/b'],
  ['/a#top', '/a'],
  [`/${'x'.repeat(1_999)}`, `/${'x'.repeat(1_999)}`],
])('nextPath() accepts %s, which is a path of this origin', (text, path) => {
  expect(nextPath(text)).toBe(path);
});

test.each([
  '',
  null,
  undefined,
  'account',
  'https://example.com/',
  '//example.com',
  '/\\example.com',
  '/\t/example.com',
  '\\/example.com',
  '/..//example.com',
  '/.//example.com',
  'javascript:alert(1)',
  `/${'x'.repeat(2_000)}`,
])('nextPath() replaces %j, which is not a path of this origin, with the account page', (text) => {
  expect(nextPath(text)).toBe('/account');
});
