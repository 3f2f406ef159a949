import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { REQUEST_ID_HEADER } from '@tocsin/runtime';
import type { FastifyInstance } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import type { AddressWindows } from '../plugins/address-windows.ts';
import { requestIdFrom } from '../plugins/observe.ts';
import type { UnsentResponses } from '../plugins/unsent-responses.ts';
import { pageAddress } from './page-address.ts';
import { keyOf, type PageCache } from './page-cache.ts';
import type { PageHosts } from './page-hosts.ts';
import { pageResponse } from './page-response.ts';
import type { ReadyResponse } from './rendering.ts';
import type { Visitor } from './visitor.ts';

export interface DirectOptions {
  readonly cache: PageCache;
  readonly hosts: PageHosts;
  /** Counts of page requests per address and minute, shared with the routes. */
  readonly windows: AddressWindows;
  readonly unsent: UnsentResponses;
  readonly visitorOf: (request: IncomingMessage) => Visitor;
  readonly metrics: Registry;
  /** Headers of every response, as alternating names and values. */
  readonly common: readonly string[];
}

/**
 * Answers requests for cached pages that are up to date without Fastify, because Fastify's hooks cost several times as
 * much as the response itself. Fastify handles all other requests, including those that exceed the rate limit for
 * pages. The responses sent here are counted in the metrics, but have no log line and no span.
 */
export function sendCurrentPages(app: FastifyInstance, options: DirectOptions): void {
  const server = app.server as Server;
  const routed = server.listeners('request') as RequestListener[];
  const views = { 200: 0, 304: 0 };
  new Counter({
    name: 'tocsin_current_page_views_total',
    help: 'Views of public pages that were current in memory, by status. Other views are in tocsin_http_seconds.',
    labelNames: ['status'],
    registers: [options.metrics],
    // Reads a plain counter when metrics are collected, because incrementing a metric with labels for each view would
    // take as long as sending the page.
    collect() {
      this.reset();
      for (const [status, count] of Object.entries(views)) this.inc({ status }, count);
    },
  });
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const status = isClosing ? undefined : sendCurrentPage(options, request, response);
    if (status !== undefined) views[status] += 1;
    else for (const listener of routed) listener(request, response);
  });
}

/**
 * Sends the requested page if an up-to-date copy is cached, and returns the status. Otherwise, sends nothing and
 * returns undefined.
 */
function sendCurrentPage(
  { cache, hosts, windows, unsent, visitorOf, common }: DirectOptions,
  request: IncomingMessage,
  response: ServerResponse,
): ReadyResponse['status'] | undefined {
  const { method, url = '' } = request;
  if ((method !== 'GET' && method !== 'HEAD') || url.startsWith('/api/v1/')) return undefined;
  const visitor = visitorOf(request);
  const requested = pageAddress(visitor.host, url);
  const address = requested && hosts.known(requested);
  const rendering = address && cache.current(keyOf(address));
  if (!rendering) return undefined;
  const now = Date.now();
  if (windows.retryAfter(visitor.address, now) !== undefined) return undefined;
  windows.record(visitor.address, now);
  const { status, headerList, body } = pageResponse(request.headers, rendering);
  const id = requestIdFrom(request.headers[REQUEST_ID_HEADER]);
  response.writeHead(status, [...headerList, ...common, REQUEST_ID_HEADER, id]).end(body, 'latin1');
  unsent.add(response, visitor.address, body?.length ?? 0);
  return status;
}
