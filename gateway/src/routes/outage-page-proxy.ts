import type { Tls } from '@tocsin/runtime';
import type { FastifyInstance } from 'fastify';
import { createPageProxy } from './page-proxy.ts';

/** Maximum size in bytes of a submitted form, which acknowledges an outage or confirms an action linked in an email. */
const MAX_FORM_BYTES = 4_096;

/**
 * Forwards requests for the pages that alerts and emails link to. The notifier serves them. The token in the path is a
 * secret.
 */
export async function addOutagePages(app: FastifyInstance, notifierUrl: string, tls?: Tls): Promise<AsyncDisposable> {
  const proxy = createPageProxy(notifierUrl, 'these pages', { tls });
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const form = { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES } as const;
    // Email programs unsubscribe with forms of either type (RFC 8058).
    const types = ['application/x-www-form-urlencoded', 'multipart/form-data'];
    scope.addContentTypeParser(types, form, (_request, body, done) => done(null, body));
    for (const url of ['/o/:token', '/m/:token']) {
      const route = {
        url,
        config: { isPathSecret: true, isPage: true },
        schema: { hide: true },
        handler: proxy.forward,
      };
      scope.route({ ...route, method: ['GET', 'HEAD'] });
      scope.route({ ...route, method: 'POST', bodyLimit: MAX_FORM_BYTES });
    }
  });
  return proxy;
}
