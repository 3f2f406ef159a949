import { request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { expect, test, vi } from 'vitest';
import { AddressWindows } from '../src/plugins/address-windows.ts';
import { addCors } from '../src/plugins/cors.ts';
import { addIdempotency } from '../src/plugins/idempotency.ts';
import { addOauthLimits } from '../src/plugins/oauth-limits.ts';
import { addPageLimit } from '../src/plugins/page-limit.ts';

/** Returns windows whose limit the address of the tests has used up. */
function usedUp(): AddressWindows {
  const windows = new AddressWindows(1);
  windows.record('127.0.0.1', Date.now());
  return windows;
}

/** Answers every request with an idempotency key with a stored response. */
function addStoredResponse(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    request.caller = { credential: { id: 'c' } } as typeof request.caller;
  });
  const unused = async () => undefined;
  addIdempotency(app, {
    claim: async () => ({ kind: 'answered', status: 201, body: '{"id":"first"}' }),
    ...{ keep: unused, release: unused, deleteBefore: unused },
  });
}

/** Sends a request, and closes the connection while the response is being sent. Returns when the server noticed it. */
async function leaveEarly(app: FastifyInstance, method: string, headers: Record<string, string>): Promise<void> {
  const sending = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  // The hook never calls `done`, so the response is not complete before the server has noticed.
  app.addHook('onSend', (_request, reply) => {
    reply.raw.once('close', left.resolve);
    sending.resolve();
  });
  const url = new URL('/oauth/device?user_code=ABCD', await app.listen({ host: '127.0.0.1', port: 0 }));
  const client = request(url, { method, headers });
  client.on('error', () => undefined).end();
  await sending.promise;
  client.destroy();
  await left.promise;
  await setImmediate();
}

const preflight = { origin: 'https://a.example', 'access-control-request-method': 'GET' };

test.each<[name: string, add: (app: FastifyInstance) => void, method: string, headers?: Record<string, string>]>([
  ['the stored response to a repeat', addStoredResponse, 'POST', { 'idempotency-key': 'once' }],
  ['a refusal by the OAuth limits', (app) => addOauthLimits(app, { requests: usedUp(), attempts: usedUp() }), 'GET'],
  ['a refusal by the page limit', (app) => addPageLimit(app, usedUp()), 'GET'],
  ['the response to a preflight request', (app) => addCors(app, ['*']), 'OPTIONS', preflight],
])(
  'a client that leaves before it has %s does not cause its request to be executed',
  async (_, add, method, headers = {}) => {
    await using app = fastify();
    const handler = vi.fn(async () => 'executed');
    add(app);
    app.route({ method: ['GET', 'POST', 'OPTIONS'], url: '/oauth/device', config: { isPage: true }, handler });
    await leaveEarly(app, method, headers);
    expect(handler).not.toHaveBeenCalled();
  },
);
