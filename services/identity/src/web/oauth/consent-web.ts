import type Provider from 'oidc-provider';
import { isWithinLimit } from '../../app/limit-attempts.ts';
import { approveAccess, listMembershipsOf } from '../../app/oauth/grants.ts';
import { requestedPermissions } from '../../domain/oauth/scope.ts';
import type { SignedIn } from '../../domain/session.ts';
import { forUser } from '../accounts.ts';
import { type Exchange, readForm, redirectTo, sendPage } from '../exchange.ts';
import type { WebRoute } from '../identity-web.ts';
import { plainDocument } from '../shell.ts';
import { decisionPage, TOO_MANY_GRANTS } from './decision-pages.ts';
import { type DecisionParts, readDecision } from './read-decision.ts';

const UNKNOWN_REQUEST = plainDocument(
  'This request for access has expired',
  'Go back to the program that sent you here, and start again.',
);

/** Returns the page on which a user decides about an authorization request. */
export function consentRoute({
  provider,
  deps,
  accounts,
  shownClient,
}: DecisionParts & { readonly provider: () => Promise<Provider> }): WebRoute {
  async function read({ params }: Exchange, signedIn: SignedIn) {
    const { user } = signedIn;
    const { Interaction } = await provider();
    const interaction = await Interaction.find(params.uid ?? '');
    if (interaction?.prompt.name !== 'consent' || interaction.session?.accountId !== user.id) return undefined;
    const { client_id: clientId, scope, redirect_uri: redirectUri } = interaction.params;
    const client = await shownClient(String(clientId));
    if (!client) return undefined;
    const memberships = await listMembershipsOf(deps, user.id);
    const permissions = requestedPermissions(String(scope));
    return {
      interaction,
      request: { signedIn, client, memberships, permissions, redirectUri: String(redirectUri), userCode: undefined },
    };
  }

  return {
    path: '/oauth/consent/:uid',
    get: forUser(accounts, async (exchange, signedIn) => {
      const found = await read(exchange, signedIn);
      sendPage(exchange, found ? 200 : 410, found ? decisionPage(found.request) : UNKNOWN_REQUEST);
    }),
    post: forUser(accounts, async (exchange, signedIn) => {
      const found = await read(exchange, signedIn);
      if (!found) return sendPage(exchange, 410, UNKNOWN_REQUEST);
      const { interaction, request } = found;
      // The user has already decided: the browser has sent the form twice.
      if (interaction.result) return redirectTo(exchange, interaction.returnTo);
      const decision = readDecision(await readForm(exchange), request);
      if ('problem' in decision) return sendPage(exchange, 422, decisionPage({ ...request, ...decision }));
      if (decision.approval && !(await isWithinLimit(deps, 'grant_of_user', signedIn.user.id))) {
        return sendPage(exchange, 429, decisionPage({ ...request, problem: TOO_MANY_GRANTS }));
      }
      if (decision.approval) {
        const grant = await approveAccess(deps, decision.approval);
        interaction.result = { consent: { grantId: grant.id } };
        // The scope is reduced to the granted permissions. Otherwise the library would expect all requested
        // permissions.
        interaction.params.scope = grant.scopes.join(' ');
      } else interaction.result = { error: 'access_denied', error_description: 'the user denied access' };
      await interaction.persist();
      redirectTo(exchange, interaction.returnTo);
    }),
  };
}
