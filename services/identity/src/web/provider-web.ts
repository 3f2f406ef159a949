import { ServiceError } from '@tocsin/errors';
import type { Deps } from '../app/ports.ts';
import { beginProviderSignIn, completeProviderSignIn } from '../app/sign-in-at-provider.ts';
import { nextPath } from '../domain/next-path.ts';
import { ATTEMPT_MS } from '../domain/organization-sign-in.ts';
import { type Accounts, deviceOf } from './accounts.ts';
import { browserCookie } from './browser-cookie.ts';
import { continueTo, type Exchange, readForm, redirectTo, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';
import { organizationSignInPage, toProviderPage } from './provider-pages.ts';

/** Returns the routes for signing in at an organization's provider. */
export function providerRoutes(deps: Deps, accounts: Accounts): WebRoute[] {
  const stateCookie = browserCookie(deps.baseUrl, 'provider', ATTEMPT_MS / 1_000);
  const refuse = (exchange: Exchange, next: string, problem: string, email = '') =>
    sendPage(exchange, 422, organizationSignInPage({ next, email, problem }));

  /** Runs `work`. If the provider can't be used, shows the reason on the sign-in page. */
  async function orRefuse(exchange: Exchange, next: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ServiceError && error.kind === 'invalid')) throw error;
      refuse(exchange, next, error.message);
    }
  }

  return [
    {
      path: '/sign-in/organization',
      get(exchange) {
        const next = nextPath(exchange.url.searchParams.get('next'));
        sendPage(exchange, 200, organizationSignInPage({ next }));
      },
      async post(exchange) {
        const form = await readForm(exchange);
        const next = nextPath(form.get('next'));
        const email = (form.get('email') ?? '').trim();
        const { address } = deviceOf(exchange.request);
        await orRefuse(exchange, next, async () => {
          const begun = await beginProviderSignIn(deps, { email, next, address });
          if ('problem' in begun) return refuse(exchange, next, begun.problem, email);
          stateCookie.set(exchange.response, begun.state);
          exchange.response.setHeader('refresh', `0; url=${begun.url}`);
          sendPage(exchange, 200, toProviderPage(begun.url));
        });
      },
    },
    {
      path: '/sign-in/organization/:organization/callback',
      async get(exchange) {
        const { request, response, params, url } = exchange;
        const state = stateCookie.read(request) ?? '';
        stateCookie.clear(response);
        await orRefuse(exchange, nextPath(undefined), async () => {
          const outcome = await completeProviderSignIn(deps, {
            organizationId: params.organization ?? '',
            state,
            parameters: url.searchParams,
            device: deviceOf(request),
          });
          if (outcome.kind === 'refused') return refuse(exchange, nextPath(undefined), outcome.reason);
          await accounts.endSession(request);
          const { secret, awaitsCode } = outcome.session;
          accounts.cookie.set(response, secret);
          if (awaitsCode) redirectTo(exchange, `/sign-in/code?next=${encodeURIComponent(outcome.next)}`);
          else continueTo(exchange, outcome.next);
        });
      },
    },
  ];
}
