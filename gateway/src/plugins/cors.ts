import type { FastifyInstance } from 'fastify';
import { sentByHook } from '../endpoint/sent-by-hook.ts';

/** Response headers that scripts may read. */
const EXPOSED = [
  'etag',
  'link',
  'retry-after',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
].join(', ');

const MAX_AGE_SECONDS = '7200';

/**
 * Lets scripts from `origins` read the API in browsers (Fetch standard, CORS protocol). Scripts can't write.
 * Cookies are not used, so a script must send a credential of its own in a header.
 */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.hasOwnCors) return;
    const { origin, 'access-control-request-method': wanted } = request.headers;
    reply.header('vary', 'origin');
    if (origin === undefined || !(origins.includes('*') || origins.includes(origin))) return;
    const isPreflight = request.method === 'OPTIONS' && wanted !== undefined;
    if (!isPreflight && request.method !== 'GET' && request.method !== 'HEAD') return;
    reply.headers({
      'access-control-allow-origin': origins.includes('*') ? '*' : origin,
      'access-control-expose-headers': EXPOSED,
    });
    if (!isPreflight) return;
    reply.headers({
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'authorization, if-none-match, x-request-id',
      'access-control-max-age': MAX_AGE_SECONDS,
    });
    return sentByHook(reply.code(204).send());
  });
}
