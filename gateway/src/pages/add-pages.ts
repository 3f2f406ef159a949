import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createPageProxy, sendUnavailable } from '../routes/page-proxy.ts';
import type { LiveVisitors } from './live-visitors.ts';
import { PAGE_ROUTES, pageAddress } from './page-address.ts';
import { keyOf, type OtherResponse, type PageCache } from './page-cache.ts';
import { pageResponse } from './page-response.ts';
import type { ReadyResponse, Rendering } from './rendering.ts';

/** Paths of the changes of these pages. */
const LIVE = ['/s/:slug/events', '/events'];

const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Reverse proxies such as nginx must not wait for more bytes.
  'x-accel-buffering': 'no',
};

/**
 * Path at which a TLS proxy asks whether it may get a certificate for a host. The address of all these requests is the
 * proxy's.
 */
const TLS_ASK = '/internal/tls-ask';

const NAME = 'status pages';

export interface PageParts {
  readonly cache: PageCache;
  readonly visitors: LiveVisitors;
}

/** Serves public pages from the cache. The statuspage service, which fills it, knows the hosts of each page. */
export function addPages(app: FastifyInstance, { cache, visitors }: PageParts, statuspageUrl: string): void {
  const proxy = createPageProxy(statuspageUrl, NAME);
  app.addHook('onClose', () => proxy[Symbol.asyncDispose]());

  async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = pageAddress(request.hostname, request.url);
    if (!address) return proxy.forward(request, reply);
    const current = cache.current(keyOf(address));
    const answer = current ? ({ kind: 'page', rendering: current } as const) : await cache.get(address);
    if (answer.kind === 'page') return sendRendering(request, reply, answer.rendering);
    return sendOther(reply, answer);
  }

  /** Notifies the visitor of a page of its changes, by server-sent events. */
  async function sendChanges(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const page = request.url.split('?', 1)[0]?.replace(/\/events\/?$/, '') || '/';
    const address = pageAddress(request.hostname, page);
    if (!address) return reply.code(204).send();
    const answer = await cache.get(address);
    if (answer.kind !== 'page') return sendOther(reply, answer);
    const key = keyOf(address);
    const { etag } = answer.rendering;
    // A 204 makes the browser stop, and the script of the page then polls.
    if (!visitors.hasSpaceFor(request.ip)) return reply.code(204).send();
    reply.hijack();
    reply.raw.writeHead(200, withCommonHeaders(reply, EVENT_STREAM));
    const watch = cache.watch(key, etag);
    visitors.add({ key, address: request.ip, stream: reply.raw, etag }, () => watch[Symbol.dispose]());
    return reply;
  }

  for (const url of PAGE_ROUTES) {
    const config = { isPage: true };
    app.route({ method: ['GET', 'HEAD'], url, config, schema: { hide: true }, handler: sendPage });
  }
  for (const url of LIVE) {
    app.get(url, { config: { isPage: true }, schema: { hide: true } }, sendChanges);
  }
  app.addHook('preClose', async () => {
    visitors.close();
  });
  app.route({ method: ['GET', 'HEAD'], url: TLS_ASK, schema: { hide: true }, handler: proxy.forward });
}

/** Sends what the statuspage service responded instead of a page. */
function sendOther(reply: FastifyReply, { response }: { readonly response?: OtherResponse }): FastifyReply {
  if (!response) return sendUnavailable(reply, NAME);
  return reply.code(response.status).headers(response.headers).send(response.body);
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
  const vary =
    headers.vary === undefined || ofPage.vary === undefined ? {} : { vary: `${headers.vary}, ${ofPage.vary}` };
  return { ...headers, ...ofPage, ...vary };
}
