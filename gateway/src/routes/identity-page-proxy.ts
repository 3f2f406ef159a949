import type { Tls } from '@tocsin/runtime';
import type { FastifyInstance } from 'fastify';
import { sendPlainPage } from '../endpoint/plain-page.ts';
import { sentByHook } from '../endpoint/sent-by-hook.ts';
import { addOauthLimits, type OauthLimits } from '../plugins/oauth-limits.ts';
import { createPageProxy } from './page-proxy.ts';

/** Maximum size in bytes of a form or an OAuth request. */
const MAX_BODY_BYTES = 16_384;

/**
 * CORS headers with which identity allows scripts on other sites to call the endpoints that public OAuth clients use.
 */
const CORS = [
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
];

/** Paths that identity serves. A path with a secret is not logged. */
const ROUTES = [
  { url: '/sign-in' },
  { url: '/sign-in/*', isPathSecret: true },
  { url: '/account' },
  { url: '/account/*' },
  { url: '/account/email/*', isPathSecret: true },
  { url: '/invitations/:token', isPathSecret: true },
  { url: '/oauth/authorize/*', isPathSecret: true },
  { url: '/oauth/consent/*', isPathSecret: true },
  { url: '/oauth/*', hasOwnCors: true },
  { url: '/.well-known/oauth-authorization-server', hasOwnCors: true },
  { url: '/.well-known/oauth-protected-resource', hasOwnCors: true },
];

export interface IdentityPageOptions {
  readonly identityUrl: string;
  /** Certificates of the gateway; undefined without TLS between services. */
  readonly tls?: Tls | undefined;
  readonly oauthLimits: OauthLimits;
  /** Returns whether a host belongs to a status page, and therefore serves nothing else. */
  readonly isPageHost: (hostname: string) => Promise<boolean>;
}

/**
 * Forwards requests for the account pages and the OAuth endpoints to identity. Cookies, credentials and the visitor's
 * address are forwarded on these paths only.
 */
export async function addIdentityPages(
  app: FastifyInstance,
  { identityUrl, tls, oauthLimits, isPageHost }: IdentityPageOptions,
): Promise<AsyncDisposable> {
  const proxy = createPageProxy(identityUrl, 'account pages', {
    tls,
    extra: {
      forwarded: [
        'access-control-request-headers',
        'access-control-request-method',
        'authorization',
        'cookie',
        'origin',
        'sec-fetch-site',
      ],
      returned: ['content-disposition', 'pragma', 'refresh', 'set-cookie', 'www-authenticate', ...CORS],
      describe: ({ ip, host, protocol }) => ({
        'x-forwarded-for': ip,
        'x-forwarded-host': host,
        'x-forwarded-proto': protocol,
      }),
      // An OAuth client, which does not accept HTML, gets a JSON error instead of a page.
      unavailable: ({ headers, routeOptions }) =>
        routeOptions.config.hasOwnCors && !headers.accept?.includes('text/html')
          ? {
              error: 'temporarily_unavailable',
              error_description: 'OAuth does not respond; try again in a few seconds',
            }
          : undefined,
    },
  });
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      if (!(await isPageHost(request.hostname))) return;
      const text = 'This address has a status page and nothing else.';
      return sentByHook(sendPlainPage(reply, 404, 'There is no page here', text));
    });
    addOauthLimits(scope, oauthLimits);
    scope.removeAllContentTypeParsers();
    const types = ['application/x-www-form-urlencoded', 'application/json'];
    const whole = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const;
    scope.addContentTypeParser(types, whole, (_request, body, done) => done(null, body));
    for (const { url, isPathSecret = false, hasOwnCors = false } of ROUTES) {
      const route = {
        url,
        config: { isPage: true, isPathSecret, hasOwnCors },
        schema: { hide: true },
        handler: proxy.forward,
      };
      scope.route({ ...route, method: ['GET', 'HEAD'] });
      scope.route({ ...route, method: ['POST', 'OPTIONS'], bodyLimit: MAX_BODY_BYTES });
    }
  });
  return proxy;
}
