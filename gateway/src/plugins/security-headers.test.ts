import fastify from 'fastify';
import { expect, test } from 'vitest';
import { addStrictTransport } from './security-headers.ts';

test.each([
  ['https://tocsin.example.com', 'max-age=31536000'],
  ['http://localhost:8080', undefined],
])('with the public URL %s the header strict-transport-security is %j', async (baseUrl, header) => {
  await using app = fastify();
  addStrictTransport(app, baseUrl);
  app.get('/', async () => 'here');
  const { headers } = await app.inject('/');
  expect(headers['strict-transport-security']).toBe(header);
});
