import { html } from '@tocsin/html';
import type { Deps } from '../app/ports.ts';
import { endSession } from '../app/sessions.ts';
import type { SignedIn } from '../domain/session.ts';
import { type Accounts, signInUrl } from './accounts.ts';
import { type Exchange, redirectTo, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';
import { documentOf } from './shell.ts';

/** Returns the routes of the account pages. They redirect visitors who are not signed in to the sign-in page. */
export function accountRoutes(deps: Pick<Deps, 'database'>, accounts: Accounts): WebRoute[] {
  const forUser = (handle: (exchange: Exchange, signedIn: SignedIn) => Promise<void> | void) => {
    return async (exchange: Exchange) => {
      const signedIn = await accounts.currentUser(exchange.request);
      if (signedIn) await handle(exchange, signedIn);
      else redirectTo(exchange, signInUrl(exchange.url.pathname + exchange.url.search));
    };
  };
  return [
    {
      path: '/account',
      get: forUser((exchange, { user }) => {
        const body = html`<section class="card"><h1>Account</h1><p>You are signed in as <strong>${user.email}</strong>.</p></section>`;
        sendPage(exchange, 200, documentOf({ title: 'Account', user, tab: '/account', body }));
      }),
    },
    {
      path: '/account/sign-out',
      post: forUser(async (exchange, { user, session }) => {
        await endSession(deps, user.id, session.id);
        accounts.cookie.clear(exchange.response);
        redirectTo(exchange, '/sign-in');
      }),
    },
  ];
}
