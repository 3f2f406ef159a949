import { html } from '@tocsin/html';
import type { Deps } from '../app/ports.ts';
import { readSignInLink, signInByLink } from '../app/sign-in-links.ts';
import { nextPath } from '../domain/next-path.ts';
import { type Accounts, deviceOf } from './accounts.ts';
import { redirectTo, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';
import { documentOf, plainDocument } from './shell.ts';

const USED_LINK = plainDocument(
  'This link can not be used any more',
  'A sign-in link works once, and for 15 minutes. Ask for another one.',
);

/** Returns the routes for signing in. */
export function signInRoutes(deps: Pick<Deps, 'database' | 'baseUrl' | 'now'>, accounts: Accounts): WebRoute[] {
  return [
    {
      path: '/sign-in',
      async get(exchange) {
        const next = nextPath(exchange.url.searchParams.get('next'));
        if (await accounts.currentUser(exchange.request)) redirectTo(exchange, next);
        else sendPage(exchange, 200, signInPage());
      },
    },
    {
      path: '/sign-in/link/:secret',
      // A GET changes nothing, because programs that scan emails open links.
      async get(exchange) {
        const email = await readSignInLink(deps, exchange.params.secret ?? '');
        sendPage(exchange, email === undefined ? 410 : 200, email === undefined ? USED_LINK : linkPage(email));
      },
      async post(exchange) {
        const { params, request, response } = exchange;
        const signedIn = await signInByLink(deps, { secret: params.secret ?? '', device: deviceOf(request) });
        if (!signedIn) return sendPage(exchange, 410, USED_LINK);
        accounts.cookie.set(response, signedIn.sessionSecret);
        redirectTo(exchange, signedIn.nextPath);
      },
    },
  ];
}

function signInPage() {
  return documentOf({
    title: 'Sign in',
    body: html`<section class="card">
<h1>Sign in</h1>
<p>The operator of this installation creates sign-in links: <code>npm run tocsin -- sign-in-link --email you@example.com</code></p>
</section>`,
  });
}

function linkPage(email: string) {
  return documentOf({
    title: 'Sign in',
    body: html`<section class="card">
<h1>Sign in</h1>
<p>You are about to sign in as <strong>${email}</strong>.</p>
<form method="post"><button>Sign in</button></form>
</section>`,
  });
}
