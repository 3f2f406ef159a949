import { ServiceError } from '@tocsin/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
  'retry-after',
  'vary',
  'x-frame-options',
];

/** Pages below their slugs; the page whose own host was called; whether a proxy may have a certificate for a host. */
const PATHS = ['/s/*', '/', '/internal/tls-ask'];

/** Hands public pages on to the statuspage service, which knows by which hosts they are called. */
export function addPages(app: FastifyInstance, statuspageUrl: string): AsyncDisposable {
  const pages = new Pool(statuspageUrl, { connections: 64, headersTimeout: 10_000, bodyTimeout: 10_000 });
  for (const url of PATHS) {
    app.route({ method: ['GET', 'HEAD'], url, schema: { hide: true }, handler: forward });
  }

  async function forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const headers: Record<string, string> = { 'x-request-id': request.id, 'x-forwarded-host': request.hostname };
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
  }

  return { [Symbol.asyncDispose]: () => pages.close() };
}
