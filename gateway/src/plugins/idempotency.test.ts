import { ServiceError } from '@tocsin/errors';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import type { Claim, IdempotentResponses } from '../storage/idempotent-responses.ts';
import { addErrorHandlers } from './errors.ts';
import { addIdempotency } from './idempotency.ts';

const headers = { 'idempotency-key': 'once' };
const mine: Claim = {
  kind: 'mine',
  claimed: { credentialId: 'c', key: 'once', requestHash: Buffer.alloc(32), idempotencyId: 'i' },
};

/** A server whose keys are claimed with this outcome, and can neither be kept nor released. */
function server(claim: Claim, handle: () => Promise<object>) {
  const refuse = async () => {
    throw new ServiceError('unavailable', 'the database is unavailable');
  };
  const responses: IdempotentResponses = {
    claim: async () => claim,
    keep: refuse,
    release: refuse,
    deleteBefore: refuse,
  };
  const app = fastify();
  addErrorHandlers(app);
  app.addHook('onRequest', async (request) => {
    request.caller = { credential: { id: 'c' } } as typeof request.caller;
  });
  addIdempotency(app, responses);
  app.post('/', handle);
  return app;
}

test('a response is sent even if it can not be stored', async () => {
  const app = server(mine, async () => ({ id: 'created' }));
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/', headers });
  expect({ statusCode, body }).toEqual({ statusCode: 200, body: '{"id":"created"}' });
});

test('an error keeps its form if its key can not be released', async () => {
  const app = server(mine, async () => {
    throw new ServiceError('unavailable', 'a part of the service is unavailable');
  });
  const response = await app.inject({ method: 'POST', url: '/', headers });
  expect(response.statusCode).toBe(503);
  expect(response.headers['retry-after']).toBe('5');
  expect(response.json()).toMatchObject({ error: { type: 'unavailable' } });
});

test('a repeat of a request that runs says when to try again', async () => {
  const app = server({ kind: 'running' }, async () => ({}));
  const response = await app.inject({ method: 'POST', url: '/', headers });
  expect(response.statusCode).toBe(409);
  expect(response.headers['retry-after']).toBe('5');
});
