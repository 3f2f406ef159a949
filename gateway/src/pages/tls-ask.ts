import proxyAddress from '@fastify/proxy-addr';
import { TLS_ASK_PATH } from '@tocsin/html';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AddressWindows } from '../plugins/address-windows.ts';
import type { RecentAnswers } from './recent-answers.ts';

export interface TlsAskOptions {
  /** Answers of the statuspage service whether a TLS proxy may request a certificate for a domain. */
  readonly certificates: RecentAnswers;
  /** Counts, per address and minute, of the domains for which the statuspage service must be asked. */
  readonly asks: AddressWindows;
  readonly trustedProxies: readonly string[];
}

const MAX_DOMAIN = 255;
const RETRY_AFTER_SECONDS = 10;

/**
 * Adds the path at which a TLS proxy asks whether it may request a certificate for a domain. The path is public, so the
 * questions of an address are limited. The questions of a proxy on this machine, and those of a trusted proxy, are not
 * limited, because they are about the domains of all visitors.
 */
export function addTlsAsk(app: FastifyInstance, { certificates, asks, trustedProxies }: TlsAskOptions): void {
  const isProxy = proxyAddress.compile(['loopback', ...trustedProxies]);

  /** Whether a proxy sent the request itself, instead of forwarding a request of a visitor. */
  function isFromProxy({ headers, socket }: FastifyRequest): boolean {
    const isForwarded = ['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via'].some((name) => name in headers);
    return !isForwarded && isProxy(socket.remoteAddress ?? '', 0);
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { domain } = request.query as { readonly domain?: unknown };
    if (typeof domain !== 'string' || domain === '' || domain.length > MAX_DOMAIN) return reply.code(404).send();
    const name = domain.toLowerCase();
    if (certificates.known(name) === undefined && !isFromProxy(request)) {
      const now = Date.now();
      const seconds = asks.retryAfter(request.ip, now);
      if (seconds !== undefined) return reply.code(429).header('retry-after', seconds).send();
      asks.record(request.ip, now);
    }
    const mayHave = await certificates.find(name);
    if (mayHave === undefined) return reply.code(503).header('retry-after', RETRY_AFTER_SECONDS).send();
    return reply.code(mayHave ? 200 : 404).send();
  }

  app.route({ method: ['GET', 'HEAD'], url: TLS_ASK_PATH, schema: { hide: true }, handler: answer });
}
