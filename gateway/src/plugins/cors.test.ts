import fastify, { type FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import { addCors } from './cors.ts';

function appFor(...origins: string[]): FastifyInstance {
  const app = fastify();
  addCors(app, origins);
  app.get('/monitors', async () => []);
  app.post('/monitors', async () => []);
  return app;
}

const origin = 'https://dashboard.example.com';
const preflight = { origin, 'access-control-request-method': 'GET' };

test('no origin may read responses if none is configured', async () => {
  const { headers } = await appFor().inject({ url: '/monitors', headers: { origin } });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
});

test('a configured origin may read responses, and its preflight succeeds', async () => {
  const app = appFor('https://other.example.com', origin);
  const read = await app.inject({ url: '/monitors', headers: { origin } });
  expect(read.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'origin' });
  expect(read.headers).not.toHaveProperty('access-control-allow-credentials');
  const asked = await app.inject({ method: 'OPTIONS', url: '/monitors', headers: preflight });
  expect(asked.statusCode).toBe(204);
  expect(asked.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': 'authorization, if-none-match, x-request-id',
  });
});

test('an origin that is not configured may not read responses', async () => {
  const app = appFor(origin);
  for (const foreign of ['https://evil.example', 'null', `${origin}.evil.example`]) {
    const { headers } = await app.inject({ url: '/monitors', headers: { origin: foreign } });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  }
});

test('every origin may read responses if `*` is configured', async () => {
  const { headers } = await appFor('*').inject({ url: '/monitors', headers: { origin } });
  expect(headers).toMatchObject({ 'access-control-allow-origin': '*' });
});

test('no origin may read the response to a POST', async () => {
  const { headers } = await appFor('*').inject({ method: 'POST', url: '/monitors', headers: { origin } });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
});
