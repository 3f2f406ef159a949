import { expect, test } from 'vitest';
import type { HttpRequest } from './http-request.ts';
import { redirected } from './redirect.ts';

const post: HttpRequest = {
  url: new URL('https://a.example/start?x=1'),
  method: 'POST',
  headers: { 'x-secret': 'canary' },
  body: 'hello',
};

test.each([
  [301, 'POST', 'GET', undefined],
  [302, 'POST', 'GET', undefined],
  [303, 'POST', 'GET', undefined],
  [307, 'POST', 'POST', 'hello'],
  [308, 'POST', 'POST', 'hello'],
  [302, 'PUT', 'PUT', 'hello'],
  [303, 'PUT', 'GET', undefined],
  [303, 'HEAD', 'HEAD', 'hello'],
])('after status %i, a %s request becomes %s with the body %j', (status, method, becomes, body) => {
  expect(redirected({ ...post, method }, status, '/next')).toEqual({
    url: new URL('https://a.example/next'),
    method: becomes,
    headers: post.headers,
    body,
  });
});

test.each(['https://b.example/', 'http://a.example/', 'https://a.example:8443/', '//b.example/'])(
  'the headers and the body of a request are not sent to another origin: %s',
  (location) => {
    expect(redirected(post, 302, location)).toMatchObject({ method: 'GET', headers: {}, body: undefined });
    expect(redirected(post, 307, location)).toEqual({ refused: 'another origin, to which the body is not sent' });
  },
);

test('the headers and the body of a request are sent to the same host with https instead of http', () => {
  const url = new URL('http://a.example/start');
  expect(redirected({ ...post, url }, 307, 'https://a.example/next')).toEqual({
    ...post,
    url: new URL('https://a.example/next'),
  });
  for (const location of ['https://b.example/', 'https://a.example:8443/', 'https://www.a.example/']) {
    expect(redirected({ ...post, url }, 302, location)).toMatchObject({ headers: {} });
  }
  const other = { ...post, url: new URL('http://a.example:8080/start') };
  expect(redirected(other, 302, 'https://a.example/')).toMatchObject({ headers: {} });
});

test.each([
  [200, '/next'],
  [304, '/next'],
  [300, '/next'],
  [302, undefined],
  [302, ''],
])('status %i with location %j is not a redirect', (status, location) => {
  expect(redirected(post, status, location)).toBe('none');
});

test('a redirect to a host name of 253 characters is followed, and one to 254 characters is not', () => {
  const host = (length: number) => `${'a'.repeat(length - 8)}.example`;
  expect(redirected(post, 302, `https://${host(253)}/`)).toHaveProperty('url');
  expect(redirected(post, 302, `https://${host(254)}/`)).toEqual({
    refused: 'a host name of more than 253 characters',
  });
});

test.each([
  ['ftp://a.example/', 'what is not an http or https URL'],
  ['javascript:alert(1)', 'what is not an http or https URL'],
  ['data:text/plain,x', 'what is not an http or https URL'],
  ['https://', 'what is not a valid URL'],
  ['http://[x', 'what is not a valid URL'],
  ['http://a.example:99999/', 'what is not a valid URL'],
])('a redirect to %s is rejected as %s', (location, refused) => {
  expect(redirected(post, 302, location)).toEqual({ refused });
});
