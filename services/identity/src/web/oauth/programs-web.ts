import { PERMISSION_TEXTS } from '@tocsin/enums';
import { type Html, html } from '@tocsin/html';
import { endGrantOfUser, type GrantDeps, listGrants } from '../../app/oauth/grants.ts';
import type { NamedGrant } from '../../domain/oauth/grant.ts';
import { compact } from '../../domain/oauth/scope.ts';
import type { User } from '../../domain/session.ts';
import { type Accounts, forUser } from '../accounts.ts';
import { redirectTo, sendPage } from '../exchange.ts';
import type { WebRoute } from '../identity-web.ts';
import { accountNavigation, type Document, documentOf } from '../shell.ts';
import { timeHtml } from '../time-html.ts';

/**
 * Returns the routes of the page on which users see the programs to which they gave access, and can end this access.
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

function programsPage(user: User, grants: readonly NamedGrant[], { isEnded }: { isEnded: boolean }): Document {
  const list = html`<div class="card list-card"><ul class="list">${grants.map(grantItem)}</ul></div>`;
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

function grantItem({ id, clientName, organizationName, scopes, createdAt, lastUsedAt }: NamedGrant): Html {
  const used = lastUsedAt ? html`last used ${timeHtml(lastUsedAt)}` : html`never used`;
  return html`<li>
<div class="row"><span class="name">${clientName} <span class="mark">${organizationName}</span></span>
<form method="post" action="/account/programs/${id}/end"><button class="plain" aria-label="End access of ${clientName} to ${organizationName}">End access</button></form></div>
<ul class="muted">${compact(scopes).map((name) => html`<li>${PERMISSION_TEXTS[name]}</li>`)}</ul>
<p class="muted">Allowed ${timeHtml(createdAt)} · ${used}</p>
</li>`;
}
