import type { FastifyInstance } from 'fastify';
import { createPageProxy } from './page-proxy.ts';

/** Pages by slug, and the page of a custom domain. */
const PAGES = ['/s/*', '/s', '/'];

/** The question whether a proxy may get a certificate for a host. All of them come from the address of the proxy. */
const TLS_ASK = '/internal/tls-ask';

/** Forwards public pages to the statuspage service, which knows the hosts of each page. */
export function addPages(app: FastifyInstance, statuspageUrl: string): AsyncDisposable {
  const proxy = createPageProxy(statuspageUrl, 'status pages');
  for (const url of [...PAGES, TLS_ASK]) {
    const config = { isPage: url !== TLS_ASK };
    app.route({ method: ['GET', 'HEAD'], url, config, schema: { hide: true }, handler: proxy.forward });
  }
  return proxy;
}
