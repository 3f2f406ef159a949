import { type Html, html } from '@tocsin/html';
import type { ProviderSettings } from '../app/organization-provider.ts';
import type { Proof } from '../app/read-account.ts';
import { recordOf } from '../domain/organization-sign-in.ts';
import { currentPassword } from './current-password.ts';
import { type Document, documentOf } from './shell.ts';

/** Renders the page on which a user begins to sign in at an organization's provider. */
export function organizationSignInPage({
  next,
  email = '',
  problem,
}: {
  next: string;
  email?: string;
  problem?: string;
}): Document {
  return documentOf({
    title: 'Sign in with your organization',
    body: html`${problem && html`<p class="notice is-bad" role="alert">${problem}</p>`}
<section class="card">
<h1>Sign in with your organization</h1>
<form method="post" action="/sign-in/organization">
<input type="hidden" name="next" value="${next}">
<div><label for="email">Mail address</label>
<input id="email" name="email" type="email" required maxlength="254" autocomplete="username" value="${email}"></div>
<button>Continue</button>
</form>
<p><a href="/sign-in">Sign in in another way</a></p>
</section>`,
  });
}

/**
 * Renders the page with a link to a provider. The form on the previous page can't redirect to the provider, because the
 * content security policy of that page forbids redirects to other sites.
 */
export function toProviderPage(url: string): Document {
  return documentOf({
    title: 'Sign in with your organization',
    body: html`<section class="card"><h1>Sign in with your organization</h1>
<p><a href="${url}">Continue to ${new URL(url).host}</a></p></section>`,
  });
}

/** Renders the settings for signing in through a provider. */
export function providerSection(
  { provider, domains }: ProviderSettings,
  { path, proof, redirectUri }: { path: string; proof: Proof; redirectUri: string },
): Html {
  const form = html`<form class="card" method="post" action="${path}/provider">
<p>Members sign in at your OpenID Connect provider, and new members join by it, if their mail address is verified there and in one of your domains. Redirect URI: <code class="secret">${redirectUri}</code></p>
<div><label for="issuer">Issuer</label>
<input id="issuer" name="issuer" type="url" required maxlength="2000" autocomplete="off" value="${provider?.issuer ?? ''}" placeholder="https://login.example.com"></div>
<div><label for="client-id">Client id</label>
<input id="client-id" name="client_id" required maxlength="500" autocomplete="off" value="${provider?.clientId ?? ''}"></div>
<div><label for="client-secret">Client secret</label>
<input id="client-secret" name="client_secret" type="password" maxlength="500" autocomplete="off" aria-describedby="client-secret-hint">
<p class="hint" id="client-secret-hint">${provider ? 'Leave it empty to keep the present one.' : 'It is stored encrypted.'}</p></div>
<div><label for="role-claim">Claim with the role</label>
<input id="role-claim" name="role_claim" maxlength="200" autocomplete="off" value="${provider?.roleClaim ?? ''}" aria-describedby="role-claim-hint">
<p class="hint" id="role-claim-hint">Its value is admin or member, or a list with one of them. Without it, new members have the role member. Owners are made here only.</p></div>
${currentPassword(proof, 'provider-current')}
<button>Save</button></form>`;
  const items = domains.map(
    ({ id, domain, proof: value, provenAt }) => html`<li>
<div class="row"><span class="name">${domain}</span><span class="mark">${provenAt ? 'proven' : 'not proven'}</span></div>
<p class="muted">TXT record ${recordOf(domain)}</p><code class="secret">${value}</code>
<div class="row"><form method="post" action="${path}/domains/${id}/prove"><button class="plain" aria-label="Verify ${domain}">Verify</button></form>
${
  proof !== 'sign_in_again' &&
  html`<form method="post" action="${path}/domains/${id}/remove">${currentPassword(proof, `remove-${id}`)}<button class="plain" aria-label="Remove ${domain}">Remove</button></form>`
}</div>
</li>`,
  );
  return html`<section class="stack" aria-labelledby="provider"><h2 id="provider">Sign-in by OpenID Connect</h2>
${proof === 'sign_in_again' ? html`<p class="card muted">To change the provider or its domains, sign out and sign in again.</p>` : form}
${
  provider &&
  proof !== 'sign_in_again' &&
  html`<form class="card" method="post" action="${path}/provider/enforce">
<p>${
    provider.isEnforced
      ? 'Members with an address in a proven domain can sign in only at the provider. Owners can also sign in with a recovery code after a link or a password, and everybody with a link of the operator.'
      : 'Members with an address in a proven domain can sign in at the provider, with a link, a password or a passkey. You can allow the provider only, once you have signed in there yourself. Their other sessions end then.'
  }</p>
<input type="hidden" name="enforced" value="${provider.isEnforced ? 'false' : 'true'}">
${currentPassword(proof, 'enforce-current')}
<button class="second">${provider.isEnforced ? 'Allow other ways to sign in' : 'Allow the provider only'}</button></form>
<form class="card" method="post" action="${path}/provider/remove">${currentPassword(proof, 'remove-current')}<button class="danger">Remove the provider</button></form>`
}
</section>
<section class="stack" aria-labelledby="domains"><h2 id="domains">Domains</h2>
${items.length > 0 && html`<div class="card list-card"><ul class="list">${items}</ul></div>`}
<form class="card inline" method="post" action="${path}/domains">
<div class="grow"><label for="domain">Domain of mail addresses</label>
<input id="domain" name="domain" required maxlength="253" autocomplete="off" placeholder="example.com"></div>
<button class="second">Add domain</button></form>
</section>`;
}
