import {
  addPasskey,
  passkeyCreationOptions,
  passkeyRequestOptions,
  removePasskey,
  renamePasskey,
  signInByPasskey,
} from '../app/passkeys.ts';
import type { Deps } from '../app/ports.ts';
import { readAccount } from '../app/read-account.ts';
import { nextPath } from '../domain/next-path.ts';
import type { SignedIn } from '../domain/session.ts';
import { accountPage, type Done } from './account-pages.ts';
import { type Accounts, deviceOf, forUser } from './accounts.ts';
import { continueTo, type Exchange, readForm, redirectTo, sendJsonValue, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';
import { AT_PROVIDER, signInPage } from './sign-in-pages.ts';

const TOO_MANY = 'There were too many attempts from your network. Try again in a few minutes.';

/** Returns the routes with which users add, change and use passkeys. Their forms need the page's script. */
export function passkeyRoutes(deps: Deps, accounts: Accounts): WebRoute[] {
  /**
   * Redirects to the account page with a confirmation. If there is a problem, shows the account page with the problem.
   */
  async function finish(exchange: Exchange, signedIn: SignedIn, problem: string | undefined, done: Done) {
    if (problem === undefined) return redirectTo(exchange, `/account?done=${done}`);
    sendPage(exchange, 422, accountPage(signedIn, await readAccount(deps, signedIn), { problem }));
  }

  return [
    {
      path: '/account/passkeys/options',
      post: forUser(accounts, async (exchange, signedIn) => {
        const current = (await readForm(exchange)).get('current') ?? '';
        const outcome = await passkeyCreationOptions(deps, signedIn, current);
        sendJsonValue(exchange, 'problem' in outcome ? 422 : 200, outcome);
      }),
    },
    {
      path: '/account/passkeys',
      post: forUser(accounts, async (exchange, signedIn) => {
        const form = await readForm(exchange);
        const input = { response: form.get('response') ?? '', name: (form.get('name') ?? '').trim() };
        await finish(exchange, signedIn, await addPasskey(deps, signedIn, input), 'passkey');
      }),
    },
    {
      path: '/account/passkeys/:id/name',
      post: forUser(accounts, async (exchange, signedIn) => {
        const name = ((await readForm(exchange)).get('name') ?? '').trim();
        const problem = await renamePasskey(deps, signedIn, { id: exchange.params.id ?? '', name });
        await finish(exchange, signedIn, problem, 'passkey_renamed');
      }),
    },
    {
      path: '/account/passkeys/:id/remove',
      post: forUser(accounts, async (exchange, signedIn) => {
        const current = (await readForm(exchange)).get('current') ?? '';
        const problem = await removePasskey(deps, signedIn, { id: exchange.params.id ?? '', current });
        await finish(exchange, signedIn, problem, 'passkey_removed');
      }),
    },
    {
      path: '/sign-in/passkey/options',
      async post(exchange) {
        const options = await passkeyRequestOptions(deps, deviceOf(exchange.request).address);
        sendJsonValue(exchange, options ? 200 : 429, options ? { options } : { problem: TOO_MANY });
      },
    },
    {
      path: '/sign-in/passkey',
      async post(exchange) {
        const form = await readForm(exchange);
        const next = nextPath(form.get('next'));
        const device = deviceOf(exchange.request);
        const secret = await signInByPasskey(deps, { response: form.get('response') ?? '', device });
        if (secret === undefined) {
          const problem = 'The passkey was not accepted. Sign in with a link by mail instead.';
          return sendPage(exchange, 422, signInPage({ next, problem }));
        }
        if (secret === 'at_provider') return sendPage(exchange, 422, signInPage({ next, problem: AT_PROVIDER }));
        await accounts.endSession(exchange.request);
        accounts.cookie.set(exchange.response, secret);
        continueTo(exchange, next);
      },
    },
  ];
}
