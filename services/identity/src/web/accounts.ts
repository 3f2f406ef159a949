import type { IncomingMessage } from 'node:http';
import type { Deps } from '../app/ports.ts';
import { endSessionOf, readSession } from '../app/sessions.ts';
import { DEFAULT_NEXT, nextPath } from '../domain/next-path.ts';
import type { Device, SignedIn } from '../domain/session.ts';
import { type Exchange, redirectTo } from './exchange.ts';
import { sessionCookie } from './session-cookie.ts';

/** Identifies the users behind requests for pages. */
export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(deps: Pick<Deps, 'database' | 'baseUrl' | 'now'>) {
  const { origin } = new URL(deps.baseUrl);
  const cookie = sessionCookie(deps.baseUrl);
  return {
    cookie,

    /** Returns the signed-in user of a request; undefined if there is none. */
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
     * Whether a page of this installation sent a request. Browsers send the header `Origin` with each POST, and pages
     * of other sites can't change it.
     */
    isSameOrigin({ headers }: IncomingMessage): boolean {
      return headers.origin === origin;
    },
  };
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
    // After a POST, there may be no page at the path of the request.
    redirectTo(exchange, signInUrl(exchange.request.method === 'POST' ? DEFAULT_NEXT : pathname + search));
  };
}

/** Returns the path of the sign-in page that then redirects to `next`, a path of this origin. */
export function signInUrl(next: string): string {
  return `/sign-in?next=${encodeURIComponent(nextPath(next))}`;
}

/** Returns the browser that sent a request. Only the gateway calls this service and sets the forwarded address. */
export function deviceOf({ headers }: IncomingMessage): Device {
  const address = [headers['x-forwarded-for'] ?? ''].flat()[0] ?? '';
  return { address, userAgent: headers['user-agent'] ?? '' };
}
