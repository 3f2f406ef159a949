import { changePassword } from '../app/change-password.ts';
import type { Deps } from '../app/ports.ts';
import { readAccount } from '../app/read-account.ts';
import { endSession, endSessions } from '../app/sessions.ts';
import type { SignedIn } from '../domain/session.ts';
import { accountPage, type Done } from './account-pages.ts';
import { type Accounts, forUser } from './accounts.ts';
import { type Exchange, readForm, redirectTo, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';

/** Returns the routes of the account page. */
export function accountRoutes(deps: Deps, accounts: Accounts): WebRoute[] {
  async function show(exchange: Exchange, signedIn: SignedIn, problem?: string): Promise<void> {
    const done = exchange.url.searchParams.get('done');
    const page = accountPage(signedIn, await readAccount(deps, signedIn), { problem, done });
    sendPage(exchange, problem ? 422 : 200, page);
  }
  const finish = (exchange: Exchange, done: Done) => redirectTo(exchange, `/account?done=${done}`);

  return [
    { path: '/account', get: forUser(accounts, (exchange, signedIn) => show(exchange, signedIn)) },
    {
      path: '/account/password',
      post: forUser(accounts, async (exchange, signedIn) => {
        const form = await readForm(exchange);
        const input = { current: form.get('current') ?? '', password: form.get('password') ?? '' };
        const problem = await changePassword(deps, signedIn, input);
        if (problem) await show(exchange, signedIn, problem);
        else finish(exchange, 'password');
      }),
    },
    {
      path: '/account/sessions/end-others',
      post: forUser(accounts, async (exchange, { user, session }) => {
        await endSessions(deps, user.id, session.id);
        finish(exchange, 'sessions');
      }),
    },
    {
      path: '/account/sessions/:id/end',
      post: forUser(accounts, async (exchange, { user }) => {
        await endSession(deps, user.id, exchange.params.id ?? '');
        finish(exchange, 'session');
      }),
    },
    {
      path: '/account/sign-out',
      post: forUser(accounts, async (exchange, { user, session }) => {
        await endSession(deps, user.id, session.id);
        accounts.cookie.clear(exchange.response);
        redirectTo(exchange, '/sign-in');
      }),
    },
  ];
}
