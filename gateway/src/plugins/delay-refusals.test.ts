import fastify from 'fastify';
import { expect, test } from 'vitest';
import { delayRefusals } from './delay-refusals.ts';

/** Delay in milliseconds. A response that is not delayed takes much less time. */
const DELAY_MS = 1_000;

function appWith(maxDelayed: number) {
  const app = fastify();
  delayRefusals(app, { delayMs: DELAY_MS, maxDelayed });
  app.get('/:status', async (request, reply) =>
    reply.code(Number((request.params as { status: string }).status)).send({}),
  );
  return async (status: number) => {
    const began = performance.now();
    const response = await app.inject(`/${status}`);
    expect(response.statusCode).toBe(status);
    return performance.now() - began >= DELAY_MS - 50;
  };
}

test('a 429 response is delayed, and other responses are not', async () => {
  const isDelayed = appWith(10);
  await isDelayed(200);
  expect(await isDelayed(429)).toBe(true);
  expect(await isDelayed(200)).toBe(false);
  expect(await isDelayed(503)).toBe(false);
});

test('only a limited number of responses are delayed at the same time', async () => {
  const isDelayed = appWith(2);
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => isDelayed(429)));
  expect(outcomes.filter(Boolean)).toHaveLength(2);
  expect(await isDelayed(429)).toBe(true);
});

test('delayed responses are sent immediately when the server closes', async () => {
  const app = fastify();
  delayRefusals(app, { delayMs: 60_000, maxDelayed: 1 });
  const arrived = Promise.withResolvers<void>();
  app.get('/', async (_request, reply) => {
    arrived.resolve();
    return reply.code(429).send({});
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const pending = fetch(address);
  await arrived.promise;
  await app.close();
  expect((await pending).status).toBe(429);
});
