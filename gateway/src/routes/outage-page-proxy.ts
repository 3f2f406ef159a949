import type { FastifyInstance } from 'fastify';
import { createPageProxy } from './page-proxy.ts';

/** Bytes of the form that acknowledges an outage. */
const MAX_FORM_BYTES = 4_096;

/** Forwards the public pages of outages, which alerts link to, to the notifier. The token in the path is a secret. */
export async function addOutagePages(app: FastifyInstance, notifierUrl: string): Promise<AsyncDisposable> {
  const proxy = createPageProxy(notifierUrl, 'outage pages');
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const form = { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES } as const;
    scope.addContentTypeParser('application/x-www-form-urlencoded', form, (_request, body, done) => done(null, body));
    const route = { url: '/o/:token', config: { isPathSecret: true }, schema: { hide: true }, handler: proxy.forward };
    scope.route({ ...route, method: ['GET', 'HEAD'] });
    scope.route({ ...route, method: 'POST', bodyLimit: MAX_FORM_BYTES });
  });
  return proxy;
}
