import { html } from '@tocsin/html';
import type { ProviderSettings } from '../app/organization-provider.ts';
import type { Proof } from '../app/read-account.ts';
import type { Membership } from '../domain/membership.ts';
import type { User } from '../domain/session.ts';
import { currentPassword } from './current-password.ts';
import { organizationPage, settingsPath } from './organization-pages.ts';
import { providerSection } from './provider-pages.ts';
import type { Document } from './shell.ts';

/** Renders the settings of an organization. */
export function settingsPage(
  {
    user,
    membership,
    proof,
    provider,
    redirectUri,
  }: {
    user: User;
    membership: Membership;
    proof: Proof;
    /** Settings that only owners see. */
    provider: ProviderSettings | undefined;
    redirectUri: string;
  },
  { problem, message }: { problem?: string | undefined; message?: string | undefined },
): Document {
  const { organization, role } = membership;
  const path = settingsPath(organization.id);
  const cancel = html`<form class="card" method="post" action="${path}/cancel-deletion">
<p>Monitors, alerts and pages work again when the deletion is cancelled.</p>
<button>Cancel the deletion</button></form>`;
  const again = html`<p class="card muted">To delete the organization, sign out and sign in again.</p>`;
  const form = html`<form class="card" method="post" action="${path}/delete">
<p>The organization stops at once: nothing is checked, no alert is sent, its pages are not public, and its API keys are refused. It is deleted after 14 days, with all monitors, pages and history. An owner can cancel this until then.</p>
<div><label for="name">Name of the organization</label>
<input id="name" name="name" required maxlength="255" autocomplete="off" aria-describedby="name-rule">
<p class="hint" id="name-rule">Enter “${organization.name}”.</p></div>
${currentPassword(proof, 'current')}
<button class="danger">Delete the organization</button></form>`;
  const change = organization.deleteAt ? cancel : proof === 'sign_in_again' ? again : form;
  return organizationPage(membership, {
    user,
    path,
    title: 'Settings',
    problem,
    message,
    body: html`${provider && providerSection(provider, { path, proof, redirectUri })}
${
  role === 'owner' &&
  html`<section class="stack" aria-labelledby="export"><h2 id="export">Export</h2>
${
  proof === 'sign_in_again'
    ? html`<p class="card muted">To export the organization, sign out and sign in again.</p>`
    : html`<form class="card" method="post" action="${path}/export">
<p>The file has a line of JSON for each row that is stored for the organization, without secrets and single check results.</p>
${currentPassword(proof, 'export-current')}
<button class="second">Download the export</button></form>`
}</section>`
}
<section class="stack" aria-labelledby="deletion"><h2 id="deletion">Deletion</h2>
${role === 'owner' ? change : html`<p class="card muted">Only an owner can delete the organization or cancel its deletion.</p>`}
</section>`,
  });
}
