import { ServiceError } from '@tocsin/errors';
import { html } from '@tocsin/html';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AddressWindows } from './address-windows.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route serves pages to visitors without a credential. */
    isPage?: boolean;
  }
}

/** Limits how many pages an address may request per minute. Visitors without a credential have no other limit. */
export function addPageLimit(app: FastifyInstance, windows: AddressWindows): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.config.isPage) return;
    const now = Date.now();
    const seconds = windows.retryAfter(request.ip, now);
    if (seconds === undefined) {
      windows.record(request.ip, now);
      return;
    }
    reply.header('retry-after', String(seconds)).header('cache-control', 'no-store');
    const { accept = '' } = request.headers;
    if (accept.includes('json') && !accept.includes('text/html')) {
      throw new ServiceError('rate_limited', 'too many requests for pages from this address; try again in a minute');
    }
    return sendTooMany(reply, seconds);
  });
}

function sendTooMany(reply: FastifyReply, seconds: number): FastifyReply {
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Too many requests</title></head>
<body>
<h1>Too many requests</h1>
<p>Your network has requested too many pages within a minute. Please try again in ${seconds} seconds.</p>
</body>
</html>`;
  reply.header('content-security-policy', "default-src 'none'");
  return reply.code(429).type('text/html; charset=utf-8').send(String(page));
}
