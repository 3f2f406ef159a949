import type { FastifyInstance } from 'fastify';
import { createPageProxy } from './page-proxy.ts';

/** Paths of pages by slug, and of the page of a custom domain. */
const PAGES = ['/s/*', '/s', '/'];

/**
 * Path at which a TLS proxy asks whether it may get a certificate for a host. The address of all these requests is the
 * proxy's.
 */
const TLS_ASK = '/internal/tls-ask';

/** Forwards requests for public pages to the statuspage service, which knows the hosts of each page. */
export function addPages(app: FastifyInstance, statuspageUrl: string): AsyncDisposable {
  const proxy = createPageProxy(statuspageUrl, 'status pages');
  for (const url of [...PAGES, TLS_ASK]) {
    const config = { isPage: url !== TLS_ASK };
    app.route({ method: ['GET', 'HEAD'], url, config, schema: { hide: true }, handler: proxy.forward });
  }
  return proxy;
}
