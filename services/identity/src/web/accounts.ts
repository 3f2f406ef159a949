import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from '../app/ports.ts';
import { endSessionOf, readSession } from '../app/sessions.ts';
import { DEFAULT_NEXT, nextPath } from '../domain/next-path.ts';
import type { Device, SignedIn } from '../domain/session.ts';
import { LINK_MS } from '../domain/sign-in-link.ts';
import { browserCookie } from './browser-cookie.ts';
import { type Exchange, redirectTo } from './exchange.ts';

/**
 * Lifetime of the session cookie in seconds: the maximum that browsers allow. The session itself expires earlier if it
 * is not used.
 */
const SESSION_COOKIE_S = 400 * 24 * 3600;

/** Identifies the users who request pages. */
export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(deps: Pick<Deps, 'database' | 'baseUrl' | 'now'>) {
  const { origin } = new URL(deps.baseUrl);
  const cookie = browserCookie(deps.baseUrl, 'session', SESSION_COOKIE_S);
  const nextCookie = browserCookie(deps.baseUrl, 'next', LINK_MS / 1_000);
  return {
    cookie,

    /** Sets a cookie with the page to which a sign-in link leads, in the browser that requests the link. */
    rememberNext(response: ServerResponse, next: string): void {
      nextCookie.set(response, encodeURIComponent(next));
    },

    /**
     * Returns the page to which a sign-in link leads. The page is stored only in the browser that requested the link.
     * Otherwise a stranger could request a link for a user, and decide to which page the user is redirected.
     */
    takeNext({ request, response }: Exchange): string {
      const stored = nextCookie.read(request);
      if (stored === undefined) return DEFAULT_NEXT;
      nextCookie.clear(response);
      return nextPath(decoded(stored));
    },

    /** Returns the signed-in user of a request; undefined if the browser is not signed in. */
    async currentUser(request: IncomingMessage): Promise<SignedIn | undefined> {
      const secret = cookie.read(request);
      return secret === undefined ? undefined : readSession(deps, { secret, device: deviceOf(request) });
    },

    /** Ends the session of a request, if it has one. */
    async endSession(request: IncomingMessage): Promise<void> {
      const secret = cookie.read(request);
      if (secret !== undefined) await endSessionOf(deps, secret);
    },

    /**
     * Whether a page of this installation sent a request. Browsers send the header `Origin` with each POST, and a page
     * can't change this header.
     */
    isSameOrigin({ headers }: IncomingMessage): boolean {
      return headers.origin === origin;
    },
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Returns a handler for signed-in users. It redirects other visitors to the sign-in page. */
export function forUser(
  accounts: Accounts,
  handle: (exchange: Exchange, signedIn: SignedIn) => Promise<void> | void,
): (exchange: Exchange) => Promise<void> {
  return async (exchange) => {
    const signedIn = await accounts.currentUser(exchange.request);
    if (signedIn) return handle(exchange, signedIn);
    const { pathname, search } = exchange.url;
    // The path of a POST is not always a page, so after signing in the user continues to the default page.
    redirectTo(exchange, signInUrl(exchange.request.method === 'POST' ? DEFAULT_NEXT : pathname + search));
  };
}

/**
 * Returns the path of the sign-in page. After the sign-in, the user is redirected to `next`, which must be a path of
 * this origin.
 */
export function signInUrl(next: string): string {
  return `/sign-in?next=${encodeURIComponent(nextPath(next))}`;
}

/**
 * Returns the browser that sent a request. The forwarded address is trusted, because only the gateway calls this
 * service.
 */
export function deviceOf({ headers }: IncomingMessage): Device {
  const address = [headers['x-forwarded-for'] ?? ''].flat()[0] ?? '';
  return { address, userAgent: headers['user-agent'] ?? '' };
}
