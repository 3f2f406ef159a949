import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createPageProxy, sendUnavailable } from '../routes/page-proxy.ts';
import { PAGE_ROUTES, pageAddress } from './page-address.ts';
import { keyOf, type PageCache } from './page-cache.ts';
import { pageResponse } from './page-response.ts';
import type { ReadyResponse, Rendering } from './rendering.ts';

/**
 * Path at which a TLS proxy asks whether it may get a certificate for a host. The address of all these requests is the
 * proxy's.
 */
const TLS_ASK = '/internal/tls-ask';

const NAME = 'status pages';

/** Serves public pages from the cache. The statuspage service, which fills it, knows the hosts of each page. */
export function addPages(app: FastifyInstance, cache: PageCache, statuspageUrl: string): void {
  const proxy = createPageProxy(statuspageUrl, NAME);
  app.addHook('onClose', () => proxy[Symbol.asyncDispose]());

  async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = pageAddress(request.hostname, request.url);
    if (!address) return proxy.forward(request, reply);
    const current = cache.current(keyOf(address));
    const answer = current ? ({ kind: 'page', rendering: current } as const) : await cache.get(address);
    if (answer.kind === 'page') return sendRendering(request, reply, answer.rendering);
    if (!answer.response) return sendUnavailable(reply, NAME);
    const { status, headers, body } = answer.response;
    return reply.code(status).headers(headers).send(body);
  }

  for (const url of PAGE_ROUTES) {
    const config = { isPage: true };
    app.route({ method: ['GET', 'HEAD'], url, config, schema: { hide: true }, handler: sendPage });
  }
  app.route({ method: ['GET', 'HEAD'], url: TLS_ASK, schema: { hide: true }, handler: proxy.forward });
}

/** Sends a page that is already compressed, without the steps between a handler and the connection. */
function sendRendering(request: FastifyRequest, reply: FastifyReply, rendering: Rendering): FastifyReply {
  reply.hijack();
  const { status, headers, body } = pageResponse(request.headers, rendering);
  reply.raw.writeHead(status, withCommonHeaders(reply, headers)).end(body, 'latin1');
  return reply;
}

/** Adds the headers that hooks have set to those of a page, which replace them. */
function withCommonHeaders(reply: FastifyReply, ofPage: ReadyResponse['headers']) {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) headers[name] = value;
  const vary = headers.vary === undefined ? {} : { vary: `${headers.vary}, ${ofPage.vary}` };
  return { ...headers, ...ofPage, ...vary };
}
