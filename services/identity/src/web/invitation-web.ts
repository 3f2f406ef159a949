import { acceptInvitation, readInvitation } from '../app/invitations.ts';
import type { Deps } from '../app/ports.ts';
import { type Accounts, deviceOf, signInUrl } from './accounts.ts';
import { type Exchange, redirectTo, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';
import { FULL_ORGANIZATION, GONE_INVITATION, invitationPage } from './invitation-pages.ts';
import { membersPath } from './organization-pages.ts';

/** Returns the routes for the links in invitations. A GET changes nothing, because mail scanners open links. */
export function invitationRoutes(deps: Deps, accounts: Accounts): WebRoute[] {
  async function show(exchange: Exchange, status: number): Promise<void> {
    const shown = await readInvitation(deps, exchange.params.secret ?? '');
    const signedIn = await accounts.currentUser(exchange.request);
    if (shown) sendPage(exchange, status, invitationPage(shown, signedIn?.user, exchange.url.pathname));
    else sendPage(exchange, 410, GONE_INVITATION);
  }

  return [
    {
      path: '/invitations/:secret',
      get: (exchange) => show(exchange, 200),
      async post(exchange) {
        const { params, request, response, url } = exchange;
        const user = (await accounts.currentUser(request))?.user;
        const device = deviceOf(request);
        const outcome = await acceptInvitation(deps, { secret: params.secret ?? '', user, device });
        switch (outcome.kind) {
          case 'joined':
            if (outcome.session) accounts.cookie.set(response, outcome.session.secret);
            return redirectTo(exchange, membersPath(outcome.organizationId));
          case 'sign_in':
            return redirectTo(exchange, signInUrl(url.pathname));
          case 'other_address':
            return show(exchange, 403);
          case 'full':
            return sendPage(exchange, 422, FULL_ORGANIZATION);
          case 'gone':
            return sendPage(exchange, 410, GONE_INVITATION);
          default:
            return outcome satisfies never;
        }
      },
    },
  ];
}
