import { type IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { browserCookie } from './browser-cookie.ts';

/** Returns the header `Set-Cookie` for an installation at `baseUrl`. */
function headerFor(baseUrl: string): string {
  const response = new ServerResponse({ method: 'GET' } as IncomingMessage);
  browserCookie(baseUrl, 'session', 60).set(response, 's3cret');
  return String(response.getHeader('set-cookie'));
}

const read = (baseUrl: string, cookie?: string) =>
  browserCookie(baseUrl, 'session', 60).read({ headers: { cookie } } as IncomingMessage);

test('with https, the cookie is bound to the host and to TLS', () => {
  expect(headerFor('https://tocsin.example.com')).toBe(
    '__Host-tocsin-session=s3cret; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure',
  );
});

test('without https, the cookie has no prefix, because browsers would refuse a cookie with a prefix', () => {
  expect(headerFor('http://localhost:8080')).toBe('tocsin-session=s3cret; Max-Age=60; Path=/; HttpOnly; SameSite=Lax');
});

test.each([
  ['__Host-tocsin-session=s', 's'],
  ['a=1; __Host-tocsin-session=s; b=2', 's'],
  ['tocsin-session=forged', undefined],
  ['x__Host-tocsin-session=s', undefined],
  ['', undefined],
  [undefined, undefined],
])('with https, only a cookie with the prefix is read: the header %j contains the secret %j', (cookie, secret) => {
  expect(read('https://tocsin.example.com', cookie)).toBe(secret);
});
