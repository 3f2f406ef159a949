import { expect, test } from 'vitest';
import type { Hop } from './guarded-fetch.ts';
import { redirected } from './redirect.ts';

const post: Hop = {
  url: new URL('https://a.test/start'),
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'Content-Length': '2', 'X-Key': 'k' },
  body: '{}',
};

function follow(hop: Hop, status: number, location: string) {
  return redirected(hop, { status, headers: { location }, body: '', truncated: false });
}

test.each([
  [301, 'GET'],
  [302, 'GET'],
  [303, 'GET'],
  [307, 'POST'],
  [308, 'POST'],
])('after status %i, a POST request becomes a %s request', (status, method) => {
  const next = follow(post, status, '/next');
  expect(next?.method).toBe(method);
  expect(next?.url.href).toBe('https://a.test/next');
  expect(next?.body).toBe(method === 'GET' ? null : '{}');
  expect(next?.headers).toEqual(method === 'GET' ? { 'X-Key': 'k' } : post.headers);
});

test('a PUT request keeps its method after status 302, and a HEAD request after 303', () => {
  expect(follow({ ...post, method: 'PUT' }, 302, '/next')?.method).toBe('PUT');
  expect(follow({ ...post, method: 'HEAD' }, 303, '/next')?.method).toBe('HEAD');
});

test('headers that may contain secrets are not sent to another origin', () => {
  expect(follow(post, 308, 'https://b.test/')?.headers).toEqual({ 'Content-Type': 'application/json' });
  expect(follow(post, 308, 'https://a.test:444/')?.headers).not.toHaveProperty('X-Key');
});

test.each(['http://a.test/', 'file:///etc/passwd', 'javascript:0', 'https://'])(
  'a redirect from https to %s is not followed',
  (location) => {
    expect(follow(post, 302, location)).toBeUndefined();
  },
);

test('a response without a Location header or with another status is not a redirect', () => {
  expect(redirected(post, { status: 302, headers: {}, body: '', truncated: false })).toBeUndefined();
  expect(follow(post, 304, '/next')).toBeUndefined();
  expect(follow(post, 201, '/next')).toBeUndefined();
});
