import { PERMISSION_TEXTS } from '@tocsin/enums';
import { ServiceError } from '@tocsin/errors';
import { type Html, html } from '@tocsin/html';
import {
  endGrantOfMember,
  endGrantOfUser,
  type GrantDeps,
  listGrants,
  listGrantsOfMembers,
  type ReportingDeps,
} from '../../app/oauth/grants.ts';
import { managesMembers } from '../../domain/member-rules.ts';
import type { Membership } from '../../domain/membership.ts';
import { type Grant, MAX_SHOWN_GRANTS, type MemberGrant, type NamedGrant } from '../../domain/oauth/grant.ts';
import { compact } from '../../domain/oauth/scope.ts';
import type { User } from '../../domain/session.ts';
import { type Accounts, forUser } from '../accounts.ts';
import { redirectTo, sendPage } from '../exchange.ts';
import type { WebRoute } from '../identity-web.ts';
import { memberHandler } from '../member-handler.ts';
import { memberProgramsPath, organizationPage } from '../organization-pages.ts';
import { accountNavigation, type Document, documentOf } from '../shell.ts';
import { timeHtml } from '../time-html.ts';

/**
 * Returns the routes for the page that lists the programs to which the user gave access. Users can end this access
 * there.
 */
export function programsRoutes(deps: GrantDeps, accounts: Accounts): WebRoute[] {
  return [
    {
      path: '/account/programs',
      get: forUser(accounts, async (exchange, { user }) => {
        const isEnded = exchange.url.searchParams.has('ended');
        sendPage(exchange, 200, programsPage(user, await listGrants(deps, user.id), { isEnded }));
      }),
    },
    {
      path: '/account/programs/:id/end',
      post: forUser(accounts, async (exchange, signedIn) => {
        await endGrantOfUser(deps, signedIn, exchange.params.id ?? '');
        redirectTo(exchange, '/account/programs?ended');
      }),
    },
  ];
}

/**
 * Returns the routes for the page that lists the programs of all members. Owners and admins can end the access of these
 * programs there.
 */
export function memberProgramsRoutes(deps: ReportingDeps, accounts: Accounts): WebRoute[] {
  const forMember = memberHandler(deps, accounts);
  const path = memberProgramsPath(':organization');
  return [
    {
      path,
      get: forMember(async (exchange, { user }, membership) => {
        if (!managesMembers(membership.role)) {
          throw new ServiceError('forbidden', 'Only owners and admins see the programs of all members.');
        }
        const grants = await listGrantsOfMembers(deps, membership.organization.id);
        const isEnded = exchange.url.searchParams.has('ended');
        sendPage(exchange, 200, memberProgramsPage({ user, membership, grants, isEnded }));
      }),
    },
    {
      path: `${path}/:id/end`,
      post: forMember(async (exchange, signedIn, { organization }) => {
        await endGrantOfMember(deps, { organizationId: organization.id, signedIn, id: exchange.params.id ?? '' });
        redirectTo(exchange, `${memberProgramsPath(organization.id)}?ended`);
      }),
    },
  ];
}

function memberProgramsPage({
  user,
  membership,
  grants,
  isEnded,
}: {
  user: User;
  membership: Membership;
  grants: readonly MemberGrant[];
  isEnded: boolean;
}): Document {
  const path = memberProgramsPath(membership.organization.id);
  const items = grants.map((grant) =>
    grantItem(grant, { mark: grant.email, of: `for ${grant.email}`, action: `${path}/${grant.id}/end` }),
  );
  return organizationPage(membership, {
    user,
    path,
    title: 'Programs',
    message: isEnded ? 'The access was ended.' : undefined,
    body: html`<p>Members gave these programs access to the organization in their name.${
      grants.length === MAX_SHOWN_GRANTS && ` The newest ${MAX_SHOWN_GRANTS} are shown.`
    }</p>
${grants.length > 0 ? html`<div class="card list-card"><ul class="list">${items}</ul></div>` : html`<div class="card"><p>There are none.</p></div>`}`,
  });
}

function programsPage(user: User, grants: readonly NamedGrant[], { isEnded }: { isEnded: boolean }): Document {
  const list = html`<div class="card list-card"><ul class="list">${grants.map(ownGrantItem)}</ul></div>`;
  return documentOf({
    title: 'Programs',
    user,
    navigation: accountNavigation('/account/programs'),
    body: html`<h1>Programs with access</h1>
${isEnded && html`<p class="notice" role="status">The access was ended.</p>`}
<p>You gave these programs access to organizations in your name.</p>
${grants.length > 0 ? list : html`<div class="card"><p>There are none.</p></div>`}`,
  });
}

function ownGrantItem(grant: NamedGrant): Html {
  const { id, organizationName } = grant;
  return grantItem(grant, {
    mark: organizationName,
    of: `to ${organizationName}`,
    action: `/account/programs/${id}/end`,
  });
}

function grantItem(
  { clientName, scopes, createdAt, lastUsedAt }: Grant,
  { mark, of, action }: { mark: string; of: string; action: string },
): Html {
  const used = lastUsedAt ? html`last used ${timeHtml(lastUsedAt)}` : html`never used`;
  return html`<li>
<div class="row"><span class="name">${clientName} <span class="mark">${mark}</span></span>
<form method="post" action="${action}"><button class="plain" aria-label="End access of ${clientName} ${of}">End access</button></form></div>
<ul class="muted">${compact(scopes).map((name) => html`<li>${PERMISSION_TEXTS[name]}</li>`)}</ul>
<p class="muted">Allowed ${timeHtml(createdAt)} · ${used}</p>
</li>`;
}
