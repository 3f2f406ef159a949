import type { FastifyInstance } from 'fastify';
import { sendPlainPage } from '../endpoint/plain-page.ts';
import { sentByHook } from '../endpoint/sent-by-hook.ts';
import type { AddressWindows } from './address-windows.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether identity sets the CORS headers of the route. */
    hasOwnCors?: boolean;
  }
}

export interface OauthLimits {
  /** Counts the requests from OAuth clients. */
  readonly requests: AddressWindows;
  /** Counts the device codes that users enter, and the client registrations. */
  readonly attempts: AddressWindows;
}

const DEVICE_PAGE = '/oauth/device';

/**
 * Limits the OAuth requests from an address, so that clients at this address can't guess codes or fill the storage with
 * registrations.
 */
export function addOauthLimits(app: FastifyInstance, { requests, attempts }: OauthLimits): void {
  app.addHook('onRequest', async (request, reply) => {
    const { pathname, searchParams } = new URL(request.url, 'http://gateway.invalid');
    const path = pathname.replace(/\/$/, '');
    const isPost = request.method === 'POST';
    const isAttempt =
      (path === DEVICE_PAGE && (isPost || searchParams.has('user_code'))) || (path === '/oauth/register' && isPost);
    if (isAttempt) return refuse(attempts);
    if (isPost && path.startsWith('/oauth/')) return refuse(requests);

    async function refuse(windows: AddressWindows): Promise<void> {
      const now = Date.now();
      const seconds = windows.retryAfter(request.ip, now);
      if (seconds === undefined) {
        windows.record(request.ip, now);
        return;
      }
      reply.header('retry-after', String(seconds));
      const text = `Your network has sent too many requests within a minute. Please try again in ${seconds} seconds.`;
      if (path === DEVICE_PAGE) return sentByHook(sendPlainPage(reply, 429, 'Too many requests', text));
      return sentByHook(reply.code(429).send({ error: 'temporarily_unavailable', error_description: text }));
    }
  });
}
