import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '@tocsin/runtime';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AddressWindows } from '../src/plugins/address-windows.ts';
import { addErrorHandlers } from '../src/plugins/errors.ts';
import { addPageLimit } from '../src/plugins/page-limit.ts';
import { addIdentityPages } from '../src/routes/identity-page-proxy.ts';
import { addOutagePages } from '../src/routes/outage-page-proxy.ts';

const stack = new AsyncDisposableStack();
const seen: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = [];
const app = fastify({ trustProxy: '127.0.0.1' });
beforeAll(async () => {
  const identity = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, body: await text(request) });
    response.writeHead(200, {
      'set-cookie': ['a=1; HttpOnly', 'b=2'],
      'www-authenticate': 'Bearer',
      'access-control-allow-origin': '*',
      'referrer-policy': 'same-origin',
      'x-internal': 'yes',
    });
    response.end('<h1>Account</h1>');
  });
  const port = await listen(identity, '127.0.0.1', 0);
  stack.defer(() => void identity.close());
  stack.use(app);
  addErrorHandlers(app);
  addPageLimit(app, new AddressWindows(20));
  stack.use(
    await addIdentityPages(app, {
      identityUrl: `http://127.0.0.1:${port}`,
      oauthLimits: { requests: new AddressWindows(3), attempts: new AddressWindows(2) },
      isPageHost: async (hostname) => hostname === 'status.customer.example',
    }),
  );
  stack.use(await addOutagePages(app, `http://127.0.0.1:${port}`));
});
afterAll(() => stack.disposeAsync());

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const visitor = {
  cookie: 'tocsin-session=s',
  origin: 'http://status.example',
  authorization: 'Basic eDp5',
};

test.each([
  '/sign-in',
  '/sign-in/link/t1',
  '/account',
  '/account/members?page=2',
  '/invitations/t1',
  '/oauth/authorize?client_id=x',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
])('%s is forwarded to identity with cookies, origin and authorization', async (url) => {
  const response = await app.inject({ url, headers: { ...visitor, host: 'status.example:8443' } });
  expect(response).toMatchObject({ statusCode: 200, body: '<h1>Account</h1>' });
  expect(seen.at(-1)).toMatchObject({ method: 'GET', url, headers: visitor });
  expect(seen.at(-1)?.headers['x-forwarded-host']).toBe('status.example:8443');
});

test('a response from identity keeps its cookies and its headers for OAuth and browsers, but no other headers', async () => {
  const { headers } = await app.inject('/account');
  expect(headers).toMatchObject({
    'set-cookie': ['a=1; HttpOnly', 'b=2'],
    'www-authenticate': 'Bearer',
    'access-control-allow-origin': '*',
    'referrer-policy': 'same-origin',
  });
  expect(headers).not.toHaveProperty('x-internal');
});

test("identity gets the visitor's address, even if the visitor sends a header with another address", async () => {
  // The test acts as a trusted proxy. It has appended the visitor's address, 192.0.2.7, to the header that the visitor
  // sent.
  const headers = { 'x-forwarded-for': '203.0.113.9, 192.0.2.7', 'x-forwarded-proto': 'https' };
  await app.inject({ url: '/account', headers });
  expect(seen.at(-1)?.headers).toMatchObject({ 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' });
});

test.each([
  ['POST', 'application/x-www-form-urlencoded', 'email=jane'],
  ['POST', 'application/json', '{"a":1}'],
] as const)('a %s with %s is forwarded unchanged', async (method, type, payload) => {
  const headers = { 'content-type': type };
  await app.inject({ method, url: '/oauth/token', headers, payload });
  expect(seen.at(-1)).toMatchObject({ method, headers, body: payload });
});

test.each([
  [16_384, 200],
  [16_385, 413],
])('a body of %i bytes gets the status %i', async (bytes, status) => {
  const request = { method: 'POST', url: '/sign-in', headers: form, payload: 'x'.repeat(bytes) } as const;
  expect((await app.inject(request)).statusCode).toBe(status);
});

test('a body that is neither a form nor JSON is refused', async () => {
  const headers = { 'content-type': 'text/plain' };
  const response = await app.inject({ method: 'POST', url: '/sign-in', headers, payload: 'x' });
  expect(response.statusCode).toBe(415);
});

test('requests for pages that identity does not serve are forwarded without cookies and credentials', async () => {
  await app.inject({ url: '/o/t1', headers: visitor });
  const { headers } = seen.at(-1) ?? {};
  expect(headers).toBeDefined();
  for (const name of [...Object.keys(visitor), 'x-forwarded-for']) expect(headers).not.toHaveProperty(name);
});

test('after too many page requests from an IP address, the next request gets a 429', async () => {
  const remoteAddress = '198.51.100.1';
  const statuses: number[] = [];
  for (let i = 0; i < 21; i += 1) statuses.push((await app.inject({ url: '/sign-in', remoteAddress })).statusCode);
  expect(statuses).toEqual([...Array(20).fill(200), 429]);
});

test.each(['/sign-in', '/account', '/oauth/device'])('%s is not served on the host of a status page', async (url) => {
  const before = seen.length;
  for (const method of ['GET', 'POST'] as const) {
    const headers = { ...form, host: 'status.customer.example' };
    const response = await app.inject({ method, url, headers, remoteAddress: '192.0.2.77' });
    expect(response.statusCode).toBe(404);
  }
  expect(seen).toHaveLength(before);
});

test('while identity does not respond, OAuth clients get JSON and visitors get a page', async () => {
  await using alone = fastify();
  addErrorHandlers(alone);
  await using _proxy = await addIdentityPages(alone, {
    identityUrl: 'http://127.0.0.1:1',
    oauthLimits: { requests: new AddressWindows(0), attempts: new AddressWindows(0) },
    isPageHost: async () => false,
  });
  for (const request of [
    { method: 'POST', url: '/oauth/token', headers: form, payload: 'x=y' },
    { method: 'GET', url: '/.well-known/oauth-authorization-server' },
  ] as const) {
    const response = await alone.inject(request);
    expect(response).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5' } });
    expect(response.json()).toMatchObject({ error: 'temporarily_unavailable' });
  }
  for (const [method, url] of [
    ['POST', '/oauth/device'],
    ['GET', '/oauth/device'],
    ['GET', '/account'],
  ] as const) {
    const headers = { ...form, accept: 'text/html,application/xhtml+xml' };
    const response = await alone.inject({ method, url, headers });
    expect(response).toMatchObject({ statusCode: 503, headers: { 'retry-after': '5' } });
    expect(response.headers['content-type']).toContain('text/html');
  }
});
