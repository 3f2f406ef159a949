import fastify from 'fastify';
import { expect, test } from 'vitest';
import { AddressWindows } from './address-windows.ts';
import { addErrorHandlers } from './errors.ts';
import { addPageLimit } from './page-limit.ts';

function appWith(limit: number) {
  const app = fastify();
  addErrorHandlers(app);
  addPageLimit(app, new AddressWindows(limit));
  app.get('/s/acme', { config: { isPage: true } }, async () => 'page');
  app.get('/api', async () => 'data');
  return (url: string, remoteAddress = '192.0.2.1', headers: Record<string, string> = { accept: 'text/html' }) =>
    app.inject({ url, remoteAddress, headers });
}

test('an address over its page limit gets a page with status 429', async () => {
  const get = appWith(2);
  expect((await get('/s/acme')).statusCode).toBe(200);
  expect((await get('/s/acme')).statusCode).toBe(200);
  const refused = await get('/s/acme');
  expect(refused.statusCode).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(refused.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  });
  expect(refused.body).toContain('Too many requests');
});

test('over the limit, a client that accepts JSON gets the usual error body', async () => {
  const get = appWith(1);
  await get('/s/acme');
  const refused = await get('/s/acme', '192.0.2.1', { accept: 'application/json' });
  expect(refused.statusCode).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(refused.json()).toMatchObject({ error: { type: 'rate_limited' } });
});

test('the page limit does not affect other addresses or routes, and a limit of 0 means no limit', async () => {
  const get = appWith(1);
  await get('/s/acme');
  expect((await get('/s/acme')).statusCode).toBe(429);
  expect((await get('/s/acme', '192.0.2.2')).statusCode).toBe(200);
  expect((await get('/api')).statusCode).toBe(200);
  const unlimited = appWith(0);
  for (let count = 0; count < 10; count += 1) expect((await unlimited('/s/acme')).statusCode).toBe(200);
});
