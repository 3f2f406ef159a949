import { ServiceError } from '@tocsin/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendPlainPage } from '../endpoint/plain-page.ts';
import { sentByHook } from '../endpoint/sent-by-hook.ts';
import type { AddressWindows } from './address-windows.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route serves pages to visitors without a credential. */
    isPage?: boolean;
  }
}

/**
 * Limits how many pages a client address may request per minute. The rate limits of the API do not apply to pages,
 * because visitors have no credential.
 */
export function addPageLimit(app: FastifyInstance, windows: AddressWindows): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.config.isPage) return;
    const now = Date.now();
    const seconds = windows.retryAfter(request.ip, now);
    if (seconds === undefined) {
      windows.record(request.ip, now);
      return;
    }
    return sentByHook(refusePage(request, reply, seconds));
  });
}

/**
 * Sends a 429 as a page, or as JSON if the request asks for it.
 * @throws ServiceError `rate_limited` if the request asks for JSON.
 */
export function refusePage(request: FastifyRequest, reply: FastifyReply, seconds: number): FastifyReply {
  reply.header('retry-after', String(seconds));
  const { accept = '' } = request.headers;
  if (accept.includes('json') && !accept.includes('text/html')) {
    throw new ServiceError('rate_limited', 'too many requests for pages from this address; try again in a minute');
  }
  const text = `Your network has requested too many pages within a minute. Please try again in ${seconds} seconds.`;
  return sendPlainPage(reply, 429, 'Too many requests', text);
}
