import type { OutgoingHttpHeaders } from 'node:http';
import type { Tls } from '@tocsin/runtime';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sentByHook } from '../endpoint/sent-by-hook.ts';
import type { AddressWindows } from '../plugins/address-windows.ts';
import { refusePage } from '../plugins/page-limit.ts';
import type { UnsentResponses } from '../plugins/unsent-responses.ts';
import { createPageProxy, sendUnavailable } from '../routes/page-proxy.ts';
import type { LiveVisitors } from './live-visitors.ts';
import { PAGE_ROUTES, pageAddress } from './page-address.ts';
import { keyOf, type OtherResponse, type PageCache } from './page-cache.ts';
import type { PageHosts } from './page-hosts.ts';
import { pageResponse } from './page-response.ts';
import type { RecentAnswers } from './recent-answers.ts';
import type { ReadyResponse, Rendering } from './rendering.ts';

/** Paths of the event streams that announce changes to public pages. */
const LIVE = ['', '/history', '/history/:month', '/incidents/:id', '/components/:id'].flatMap((page) => [
  `/s/:slug${page}/events`,
  `${page}/events`,
]);

const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Makes reverse proxies such as nginx send each event at once instead of buffering it.
  'x-accel-buffering': 'no',
};

const NAME = 'status pages';

export interface PageParts {
  readonly cache: PageCache;
  readonly hosts: PageHosts;
  /** Answers of the statuspage service whether a TLS proxy may request a certificate for a domain. */
  readonly certificates: RecentAnswers;
  readonly visitors: LiveVisitors;
  /** Certificates of the gateway; undefined without TLS between services. */
  readonly tls?: Tls | undefined;
}

export interface PageOptions {
  readonly statuspageUrl: string;
  /**
   * Counts, per address and minute, of requests for pages that are not in the cache. The statuspage service must render
   * these pages, so fewer of them are allowed.
   */
  readonly misses: AddressWindows;
  /** Counts the responses that visitors have not received yet. */
  readonly unsent: UnsentResponses;
}

/** Serves public pages from the cache. The statuspage service renders the pages, and stores the hosts of each page. */
export function addPages(
  app: FastifyInstance,
  { cache, hosts, visitors, tls }: Omit<PageParts, 'certificates'>,
  { statuspageUrl, misses, unsent }: PageOptions,
): void {
  const proxy = createPageProxy(statuspageUrl, NAME, { tls });
  app.addHook('onClose', () => proxy[Symbol.asyncDispose]());

  async function limitMisses(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const address = pageAddress(request.hostname, pagePath(request.url));
    const stored = address && hosts.known(address);
    if (!address || (stored && cache.has(keyOf(stored)))) return;
    const now = Date.now();
    const seconds = misses.retryAfter(request.ip, now);
    if (seconds !== undefined) return sentByHook(refusePage(request, reply, seconds));
    misses.record(request.ip, now);
  }

  async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const requested = pageAddress(request.hostname, request.url);
    if (!requested) return proxy.forward(request, reply);
    const address = await hosts.find(requested);
    if (!address) return sendUnavailable(reply, NAME);
    const current = cache.current(keyOf(address));
    const answer = current ? ({ kind: 'page', rendering: current } as const) : await cache.get(address);
    if (answer.kind === 'page') return sendRendering(request, reply, answer.rendering, unsent);
    return sendOther(reply, answer);
  }

  /** Opens a stream of server-sent events, one for each change to the page. */
  async function sendChanges(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const requested = pageAddress(request.hostname, pagePath(request.url));
    if (!requested) return reply.code(204).send();
    const address = await hosts.find(requested);
    if (!address) return sendUnavailable(reply, NAME);
    const answer = await cache.get(address);
    if (answer.kind !== 'page') return sendOther(reply, answer);
    const key = keyOf(address);
    const { etag } = answer.rendering;
    // After a 204 the browser does not reconnect, and the script of the page polls instead.
    if (!visitors.hasSpaceFor(request.ip)) return reply.code(204).send();
    reply.hijack();
    reply.raw.writeHead(200, withCommonHeaders(reply, EVENT_STREAM));
    const watch = cache.watch(key, etag);
    visitors.add({ key, address: request.ip, stream: reply.raw, etag }, () => watch[Symbol.dispose]());
    return reply;
  }

  for (const url of PAGE_ROUTES) {
    const config = { isPage: true };
    const method = ['GET', 'HEAD'];
    app.route({ method, url, config, schema: { hide: true }, onRequest: limitMisses, handler: sendPage });
  }
  for (const url of LIVE) {
    app.get(url, { config: { isPage: true }, schema: { hide: true }, onRequest: limitMisses }, sendChanges);
  }
  app.addHook('preClose', async () => {
    visitors.close();
  });
}

/** Returns the path of the page to which a URL belongs: its own path, or the path without `/events` of its changes. */
function pagePath(url: string): string {
  return url.split('?', 1)[0]?.replace(/\/events\/?$/, '') || '/';
}

/** Sends a response from the statuspage service that is not a page, such as a redirect. */
function sendOther(reply: FastifyReply, { response }: { readonly response?: OtherResponse }): FastifyReply {
  if (!response) return sendUnavailable(reply, NAME);
  return reply.code(response.status).headers(response.headers).send(response.body);
}

/** Sends a page that is already compressed. Bypasses Fastify's serialization and its hooks for payloads. */
function sendRendering(
  request: FastifyRequest,
  reply: FastifyReply,
  rendering: Rendering,
  unsent: UnsentResponses,
): FastifyReply {
  reply.hijack();
  const { status, headers, body } = pageResponse(request.headers, rendering);
  reply.raw.writeHead(status, withCommonHeaders(reply, headers)).end(body, 'latin1');
  // The hook that counts other responses does not run for a hijacked one.
  unsent.add(reply.raw, request.ip, body?.length ?? 0);
  return reply;
}

/**
 * Returns the page's headers and the headers that hooks have set. If both contain a header, the page's value is used.
 */
function withCommonHeaders(reply: FastifyReply, ofPage: ReadyResponse['headers']) {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) headers[name] = value;
  const vary =
    headers.vary === undefined || ofPage.vary === undefined ? {} : { vary: `${headers.vary}, ${ofPage.vary}` };
  return { ...headers, ...ofPage, ...vary };
}
