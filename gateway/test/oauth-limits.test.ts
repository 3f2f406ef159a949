import fastify, { type InjectOptions } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { AddressWindows } from '../src/plugins/address-windows.ts';
import { addCors } from '../src/plugins/cors.ts';
import { addOauthLimits } from '../src/plugins/oauth-limits.ts';

const app = fastify();
afterAll(() => app.close());
addCors(app, ['*']);
addOauthLimits(app, { requests: new AddressWindows(3), attempts: new AddressWindows(2) });
for (const method of ['GET', 'POST', 'OPTIONS'] as const) {
  app.route({ method, url: '/oauth/*', config: { hasOwnCors: true }, handler: () => 'ok' });
}

let addresses = 0;

/** Sends a request several times from a new address, and returns the last response. */
async function repeat(times: number, request: InjectOptions) {
  addresses += 1;
  const remoteAddress = `192.0.2.${addresses}`;
  let response = await app.inject({ ...request, remoteAddress });
  for (let sent = 1; sent < times; sent += 1) response = await app.inject({ ...request, remoteAddress });
  return response;
}

test.each(['/oauth/token', '/oauth/device/token', '/oauth/device/code', '/oauth/revoke'])(
  'an address may send three requests per minute to %s',
  async (url) => {
    expect((await repeat(3, { method: 'POST', url })).statusCode).toBe(200);
    const refused = await repeat(4, { method: 'POST', url });
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
  },
);

test.each([
  { method: 'GET', url: '/oauth/device?user_code=BCDF-GHJK' },
  { method: 'POST', url: '/oauth/device' },
  { method: 'POST', url: '/oauth/device/' },
  { method: 'POST', url: '/oauth/register' },
] as const)('an address may send $method $url twice per minute', async (request) => {
  expect((await repeat(2, request)).statusCode).toBe(200);
  expect((await repeat(3, request)).statusCode).toBe(429);
});

test('a browser that opens the page of a device code too often gets an HTML page with an error', async () => {
  const { headers, body } = await repeat(3, { url: '/oauth/device?user_code=BCDF-GHJK' });
  expect(headers['content-type']).toContain('text/html');
  expect(body).toContain('Too many requests');
});

test.each([
  { method: 'GET', url: '/oauth/authorize' },
  { method: 'GET', url: '/oauth/device' },
  { method: 'OPTIONS', url: '/oauth/token' },
] as const)('the OAuth limits do not apply to $method $url', async (request) => {
  expect((await repeat(9, request)).statusCode).toBe(200);
});

test('the gateway adds no CORS headers to OAuth responses, because identity decides which origins are allowed', async () => {
  const headers = { origin: 'https://example.com', 'access-control-request-method': 'POST' };
  const response = await app.inject({ method: 'OPTIONS', url: '/oauth/token', headers });
  expect(response.statusCode).toBe(200);
  expect(response.headers).not.toHaveProperty('access-control-allow-origin');
});
