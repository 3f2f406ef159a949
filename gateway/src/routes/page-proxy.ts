import type { Tls } from '@tocsin/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { connectService } from '../clients/service-pool.ts';
import { sendPlainPage } from '../endpoint/plain-page.ts';

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

/** Headers that are passed on in addition to the headers for all pages. */
export interface ExtraHeaders {
  readonly forwarded: readonly string[];
  readonly returned: readonly string[];
  /** Returns headers that the gateway adds to a forwarded request, such as one with the address of the visitor. */
  readonly describe: (request: FastifyRequest) => Readonly<Record<string, string>>;
  /** Returns the JSON body of the 503 response while the service does not respond; undefined to send a page. */
  readonly unavailable?: (request: FastifyRequest) => object | undefined;
}

export interface PageProxy extends AsyncDisposable {
  /** Forwards the request and sends the service's response, or a 503 page if the service does not respond. */
  forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/**
 * Returns a proxy to the service at `url`. `pages` is the name of its pages, such as "status pages", in the text that
 * visitors see while the service is unavailable.
 */
export function createPageProxy(
  url: string,
  pages: string,
  { extra, tls }: { extra?: ExtraHeaders; tls?: Tls | undefined } = {},
): PageProxy {
  const forwarded = [...FORWARDED, ...(extra?.forwarded ?? [])];
  const returned = [...RETURNED, ...(extra?.returned ?? [])];
  const pool = connectService(url, { connections: 64, headersTimeout: 10_000, bodyTimeout: 10_000 }, tls);
  return {
    async forward(request, reply) {
      const headers: Record<string, string> = { 'x-request-id': request.id, 'x-forwarded-host': request.hostname };
      for (const name of forwarded) {
        const value = request.headers[name];
        if (typeof value === 'string') headers[name] = value;
      }
      Object.assign(headers, extra?.describe(request));
      const method = ['HEAD', 'POST', 'OPTIONS'].includes(request.method) ? request.method : 'GET';
      const body = Buffer.isBuffer(request.body) ? request.body : null;
      const page = await pool.request({ method, path: request.url, headers, body }).catch((error: unknown) => {
        request.log.warn({ err: error }, `${pages} are unavailable`);
      });
      if (!page) {
        const json = extra?.unavailable?.(request);
        if (!json) return sendUnavailable(reply, pages);
        return reply.code(503).header('retry-after', RETRY_AFTER_SECONDS).send(json);
      }
      for (const name of returned) {
        const value = page.headers[name];
        if (value !== undefined) reply.header(name, value);
      }
      return reply.code(page.statusCode).send(page.body);
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

const RETRY_AFTER_SECONDS = 5;

/** Sends a page instead of JSON, because browsers request these paths. */
export function sendUnavailable(reply: FastifyReply, pages: string): FastifyReply {
  reply.header('retry-after', RETRY_AFTER_SECONDS);
  return sendPlainPage(
    reply,
    503,
    'This page is temporarily unavailable',
    `Our ${pages} do not respond at the moment. This says nothing about the systems that they report on. Please try again in a minute.`,
  );
}
