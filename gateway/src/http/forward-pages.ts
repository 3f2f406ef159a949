import { ServiceError } from '@tocsin/errors';
import type { FastifyInstance } from 'fastify';
import { Pool } from 'undici';

/** Headers that go on to the page, and those that come back from it. */
const FORWARDED = ['accept', 'accept-encoding', 'accept-language', 'if-none-match', 'user-agent', 'traceparent'];
const RETURNED = [
  'cache-control',
  'content-encoding',
  'content-language',
  'content-length',
  'content-security-policy',
  'content-type',
  'etag',
  'last-modified',
  'location',
  'permissions-policy',
  'referrer-policy',
  'vary',
  'x-frame-options',
];

/** Hands public pages on to the statuspage service. */
export function addPages(app: FastifyInstance, statuspageUrl: string): AsyncDisposable {
  const pages = new Pool(statuspageUrl, { connections: 64, headersTimeout: 10_000, bodyTimeout: 10_000 });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/s/*',
    schema: { hide: true },
    async handler(request, reply) {
      const headers: Record<string, string> = { 'x-request-id': request.id };
      for (const name of FORWARDED) {
        const value = request.headers[name];
        if (typeof value === 'string') headers[name] = value;
      }
      const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
      const page = await pages.request({ method, path: request.url, headers }).catch((error: unknown) => {
        throw new ServiceError('unavailable', 'status pages are away for a moment; try again', { cause: error });
      });
      for (const name of RETURNED) {
        const value = page.headers[name];
        if (value !== undefined) reply.header(name, value);
      }
      return reply.code(page.statusCode).send(page.body);
    },
  });
  return { [Symbol.asyncDispose]: () => pages.close() };
}
