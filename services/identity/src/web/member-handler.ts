import { readMembership } from '../app/members.ts';
import type { Deps } from '../app/ports.ts';
import type { Membership } from '../domain/membership.ts';
import type { SignedIn } from '../domain/session.ts';
import { type Accounts, forUser } from './accounts.ts';
import type { Exchange } from './exchange.ts';

type Handler = (exchange: Exchange, signedIn: SignedIn, membership: Membership) => Promise<void> | void;

/**
 * Returns a function that wraps handlers for members of the organization in the path. Other visitors are redirected to
 * the sign-in page, and users who are not members get a 404.
 */
export function memberHandler(deps: Pick<Deps, 'database' | 'now'>, accounts: Accounts) {
  return (handle: Handler) =>
    forUser(accounts, async (exchange, signedIn) =>
      handle(exchange, signedIn, await readMembership(deps, exchange.params.organization ?? '', signedIn.user)),
    );
}
