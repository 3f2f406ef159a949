import { changePassword } from '../app/change-password.ts';
import { requestEmailChange } from '../app/email-changes.ts';
import type { Deps } from '../app/ports.ts';
import { readAccount } from '../app/read-account.ts';
import {
  enableSecondFactor,
  readNewFactor,
  removeSecondFactor,
  renewRecoveryCodes,
  startSecondFactor,
} from '../app/second-factor.ts';
import { endSession, endSessions } from '../app/sessions.ts';
import { cancelUserDeletion, requestUserDeletion } from '../app/user-deletion.ts';
import type { SignedIn } from '../domain/session.ts';
import { accountPage, DELETION_REQUESTED, type Done } from './account-pages.ts';
import { type Accounts, forUser } from './accounts.ts';
import { type Exchange, readForm, redirectTo, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';
import { newFactorPage, recoveryCodesPage } from './second-factor-pages.ts';

/** Returns the routes for the account page. */
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
        const problem = await changePassword(deps, signedIn, { ...input, endPrograms: form.has('end_programs') });
        if (problem) await show(exchange, signedIn, problem);
        else finish(exchange, 'password');
      }),
    },
    {
      path: '/account/email',
      post: forUser(accounts, async (exchange, signedIn) => {
        const form = await readForm(exchange);
        const input = { current: form.get('current') ?? '', email: (form.get('email') ?? '').trim() };
        const problem = await requestEmailChange(deps, signedIn, input);
        if (problem) await show(exchange, signedIn, problem);
        else finish(exchange, 'email_sent');
      }),
    },
    {
      path: '/account/delete',
      post: forUser(accounts, async (exchange, signedIn) => {
        const problem = await requestUserDeletion(deps, signedIn, await currentPasswordIn(exchange));
        if (problem) return show(exchange, signedIn, problem);
        accounts.cookie.clear(exchange.response);
        sendPage(exchange, 200, DELETION_REQUESTED);
      }),
    },
    {
      path: '/account/cancel-deletion',
      post: forUser(accounts, async (exchange, signedIn) => {
        await cancelUserDeletion(deps, signedIn);
        finish(exchange, 'kept');
      }),
    },
    {
      path: '/account/second-factor',
      get: forUser(accounts, async (exchange, { user }) => {
        const factor = await readNewFactor(deps, user);
        if (factor) sendPage(exchange, 200, newFactorPage(user, factor));
        else redirectTo(exchange, '/account');
      }),
    },
    {
      path: '/account/second-factor/start',
      post: forUser(accounts, async (exchange, signedIn) => {
        const problem = await startSecondFactor(deps, signedIn, await currentPasswordIn(exchange));
        if (problem) await show(exchange, signedIn, problem);
        else redirectTo(exchange, '/account/second-factor');
      }),
    },
    {
      path: '/account/second-factor/enable',
      post: forUser(accounts, async (exchange, signedIn) => {
        const { user } = signedIn;
        const code = (await readForm(exchange)).get('code') ?? '';
        const outcome = await enableSecondFactor(deps, signedIn, code);
        if ('codes' in outcome) return sendPage(exchange, 200, recoveryCodesPage(user, outcome.codes));
        const factor = await readNewFactor(deps, user);
        if (factor) sendPage(exchange, 422, newFactorPage(user, factor, outcome.problem));
        else redirectTo(exchange, '/account');
      }),
    },
    {
      path: '/account/second-factor/codes',
      post: forUser(accounts, async (exchange, signedIn) => {
        const outcome = await renewRecoveryCodes(deps, signedIn, await currentPasswordIn(exchange));
        if ('codes' in outcome) sendPage(exchange, 200, recoveryCodesPage(signedIn.user, outcome.codes));
        else await show(exchange, signedIn, outcome.problem);
      }),
    },
    {
      path: '/account/second-factor/remove',
      post: forUser(accounts, async (exchange, signedIn) => {
        const problem = await removeSecondFactor(deps, signedIn, await currentPasswordIn(exchange));
        if (problem) await show(exchange, signedIn, problem);
        else finish(exchange, 'factor_removed');
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

async function currentPasswordIn(exchange: Exchange): Promise<string> {
  return (await readForm(exchange)).get('current') ?? '';
}
