import { ServiceError } from '@tocsin/errors';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { addErrorHandlers } from './errors.ts';

test.each([
  [new ServiceError('rate_limited', 'too many', { retryAfterSeconds: 90 }), 429, '90'],
  [new ServiceError('unavailable', 'away', { retryAfterSeconds: 90 }), 503, '90'],
  [new ServiceError('unavailable', 'away'), 503, '5'],
  [new ServiceError('conflict', 'exists'), 409, undefined],
])(
  'a response says after how many seconds to try again if the error does, or if it is a 503: %s',
  async (error, status, retryAfter) => {
    const app = fastify();
    addErrorHandlers(app);
    app.get('/', async () => {
      throw error;
    });
    const response = await app.inject({ url: '/' });
    expect(response.statusCode).toBe(status);
    expect(response.headers['retry-after']).toBe(retryAfter);
  },
);
