import { isEmail } from '@tocsin/text';
import type { Deps } from '../app/ports.ts';
import { requestSignInLink } from '../app/request-sign-in-link.ts';
import { type StartedSession, signInWithCode } from '../app/sign-in.ts';
import { signInByPassword } from '../app/sign-in-by-password.ts';
import { readSignInLink, signInByLink } from '../app/sign-in-links.ts';
import { nextPath } from '../domain/next-path.ts';
import { type Accounts, deviceOf } from './accounts.ts';
import { continueTo, type Exchange, readForm, redirectTo, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';
import { AT_PROVIDER, codePage, LINK_SENT, linkPage, signInPage, USED_LINK } from './sign-in-pages.ts';

const TOO_MANY_FROM_NETWORK = 'There were too many attempts from your network. Try again in a few minutes.';
const WRONG = 'The mail address or the password is wrong. You can also sign in with a link by mail.';
const BUSY = 'Too many people are signing in at the moment. Try again in a minute, or send yourself a link.';
const TOO_MANY_PASSWORDS = 'There were too many attempts with this mail address. Send yourself a link instead.';

/** Returns the routes for signing in. */
export function signInRoutes(deps: Deps, accounts: Accounts): WebRoute[] {
  /** Stores the session in the browser, ends the session that the browser had before, and redirects. */
  async function enter(exchange: Exchange, { secret, awaitsCode }: StartedSession, next: string): Promise<void> {
    await accounts.endSession(exchange.request);
    accounts.cookie.set(exchange.response, secret);
    if (awaitsCode) redirectTo(exchange, `/sign-in/code?next=${encodeURIComponent(next)}`);
    else continueTo(exchange, next);
  }

  async function submit(exchange: Exchange): Promise<void> {
    const form = await readForm(exchange);
    const email = (form.get('email') ?? '').trim();
    const next = nextPath(form.get('next'));
    const password = form.get('password') ?? '';
    const refuse = (status: number, problem: string) =>
      sendPage(exchange, status, signInPage({ next, email, problem }));
    if (!isEmail(email)) return refuse(422, 'Enter your mail address, such as jane@example.com.');
    const device = deviceOf(exchange.request);
    if (form.get('by') === 'link' || password === '') {
      const outcome = await requestSignInLink(deps, { email, address: device.address });
      if (outcome === 'too_many') return refuse(429, TOO_MANY_FROM_NETWORK);
      accounts.rememberNext(exchange.response, next);
      return redirectTo(exchange, '/sign-in/sent');
    }
    const outcome = await signInByPassword(deps, { email, password, device });
    switch (outcome.kind) {
      case 'signed_in':
        return enter(exchange, outcome.session, next);
      case 'at_provider':
        return refuse(422, AT_PROVIDER);
      case 'wrong':
        return refuse(422, WRONG);
      case 'too_many':
        return refuse(429, TOO_MANY_PASSWORDS);
      case 'too_many_from_network':
        return refuse(429, TOO_MANY_FROM_NETWORK);
      case 'busy':
        return refuse(503, BUSY);
      default:
        return outcome satisfies never;
    }
  }

  async function submitCode(exchange: Exchange): Promise<void> {
    const form = await readForm(exchange);
    const next = nextPath(form.get('next'));
    const secret = accounts.cookie.read(exchange.request) ?? '';
    const device = deviceOf(exchange.request);
    const outcome = await signInWithCode(deps, { secret, code: form.get('code') ?? '', device });
    switch (outcome.kind) {
      case 'signed_in':
        accounts.cookie.set(exchange.response, outcome.secret);
        return continueTo(exchange, next);
      case 'expired':
        return sendPage(exchange, 422, signInPage({ next, problem: 'The sign-in took too long. Start again.' }));
      case 'wrong':
        return sendPage(exchange, 422, codePage(next, 'The code is wrong or was used already.'));
      case 'too_many':
        return sendPage(exchange, 429, codePage(next, 'There were too many wrong codes. Try again in 15 minutes.'));
      default:
        return outcome satisfies never;
    }
  }

  return [
    {
      path: '/sign-in/code',
      get: (exchange) => sendPage(exchange, 200, codePage(nextPath(exchange.url.searchParams.get('next')))),
      post: submitCode,
    },
    {
      path: '/sign-in',
      async get(exchange) {
        const next = nextPath(exchange.url.searchParams.get('next'));
        if (await accounts.currentUser(exchange.request)) redirectTo(exchange, next);
        else sendPage(exchange, 200, signInPage({ next }));
      },
      post: submit,
    },
    {
      path: '/sign-in/sent',
      get: (exchange) => sendPage(exchange, 200, LINK_SENT),
    },
    {
      path: '/sign-in/link/:secret',
      // A GET must not use up the link, because programs that scan emails open the links in them.
      async get(exchange) {
        const email = await readSignInLink(deps, exchange.params.secret ?? '');
        sendPage(exchange, email === undefined ? 410 : 200, email === undefined ? USED_LINK : linkPage(email));
      },
      async post(exchange) {
        const { params, request } = exchange;
        const signedIn = await signInByLink(deps, { secret: params.secret ?? '', device: deviceOf(request) });
        if (!signedIn) return sendPage(exchange, 410, USED_LINK);
        if (signedIn === 'at_provider') {
          return sendPage(exchange, 422, signInPage({ next: accounts.takeNext(exchange), problem: AT_PROVIDER }));
        }
        return enter(exchange, signedIn, accounts.takeNext(exchange));
      },
    },
  ];
}
