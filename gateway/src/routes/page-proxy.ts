import { ServiceError } from '@tocsin/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Pool } from 'undici';

/** Request headers that are forwarded, and response headers that are returned. */
const FORWARDED = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'if-none-match',
  'user-agent',
  'traceparent',
];
const RETURNED = [
  'allow',
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
  'x-robots-tag',
];

export interface PageProxy extends AsyncDisposable {
  /**
   * Forwards the request and sends the service's response.
   * @throws ServiceError `unavailable` when the service does not respond.
   */
  forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/** Forwards requests for pages to the service at `url`; `pages` names them in the error while it is unavailable. */
export function createPageProxy(url: string, pages: string): PageProxy {
  const pool = new Pool(url, { connections: 64, headersTimeout: 10_000, bodyTimeout: 10_000 });
  return {
    async forward(request, reply) {
      const headers: Record<string, string> = { 'x-request-id': request.id, 'x-forwarded-host': request.hostname };
      for (const name of FORWARDED) {
        const value = request.headers[name];
        if (typeof value === 'string') headers[name] = value;
      }
      const method = request.method === 'HEAD' || request.method === 'POST' ? request.method : 'GET';
      const body = Buffer.isBuffer(request.body) ? request.body : null;
      const page = await pool.request({ method, path: request.url, headers, body }).catch((error: unknown) => {
        throw new ServiceError('unavailable', `${pages} are unavailable; try again`, { cause: error });
      });
      for (const name of RETURNED) {
        const value = page.headers[name];
        if (value !== undefined) reply.header(name, value);
      }
      return reply.code(page.statusCode).send(page.body);
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}
