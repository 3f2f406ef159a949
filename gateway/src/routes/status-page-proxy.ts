import type { FastifyInstance } from 'fastify';
import { createPageProxy } from './page-proxy.ts';

/** Pages by slug, the page of a custom domain, and the question whether a proxy may get a certificate for a host. */
const PATHS = ['/s/*', '/s', '/', '/internal/tls-ask'];

/** Forwards public pages to the statuspage service, which knows by which hosts they are called. */
export function addPages(app: FastifyInstance, statuspageUrl: string): AsyncDisposable {
  const proxy = createPageProxy(statuspageUrl, 'status pages');
  for (const url of PATHS) {
    app.route({ method: ['GET', 'HEAD'], url, schema: { hide: true }, handler: proxy.forward });
  }
  return proxy;
}
