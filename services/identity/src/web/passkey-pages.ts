import { type Html, html } from '@tocsin/html';
import type { Proof } from '../app/read-account.ts';
import type { Passkey } from '../domain/passkey.ts';
import { currentPassword } from './current-password.ts';
import { timeHtml } from './time-html.ts';

/** Renders the form that signs in with a passkey. The form is hidden until the page's script shows it. */
export function passkeySignIn(next: string): Html {
  return html`<form method="post" action="/sign-in/passkey" data-passkey="get" data-options="/sign-in/passkey/options" hidden>
<input type="hidden" name="next" value="${next}">
<input type="hidden" name="response">
<p class="notice is-bad" role="alert" hidden></p>
<button class="second">Sign in with a passkey</button>
</form>`;
}

/** Renders the passkeys of a user, with forms that add, rename and remove passkeys. */
export function passkeySection(passkeys: readonly Passkey[], proof: Proof): Html {
  const add = html`<form method="post" action="/account/passkeys" data-passkey="create" data-options="/account/passkeys/options" hidden>
<input type="hidden" name="response">
<div><label for="passkey-name">Name of the new passkey</label>
<input id="passkey-name" name="name" required maxlength="100" autocomplete="off" placeholder="My phone"></div>
${currentPassword(proof, 'passkey-current')}
<p class="notice is-bad" role="alert" hidden></p>
<button>Add a passkey</button>
</form>`;
  return html`<section class="stack" aria-labelledby="passkeys">
<h2 id="passkeys">Passkeys</h2>
${passkeys.length > 0 && html`<div class="card list-card"><ul class="list">${passkeys.map((passkey) => passkeyItem(passkey, proof))}</ul></div>`}
<div class="card">
<p>With a passkey, you sign in with your fingerprint, face or screen lock. It needs no password and no code.</p>
<noscript><p class="muted">Adding a passkey needs JavaScript.</p></noscript>
${proof === 'sign_in_again' ? html`<p class="muted">To add a passkey, sign out and sign in again.</p>` : add}
</div>
</section>`;
}

function passkeyItem({ id, name, createdAt, lastUsedAt }: Passkey, proof: Proof): Html {
  const used = lastUsedAt ? html`last used ${timeHtml(lastUsedAt)}` : html`never used`;
  const remove = html`<form method="post" action="/account/passkeys/${id}/remove">${currentPassword(proof, `remove-${id}`)}
<button class="danger">Remove</button></form>`;
  return html`<li>
<div class="row"><span class="name">${name}</span></div>
<p class="muted">Added ${timeHtml(createdAt)} · ${used}</p>
<details><summary>Rename or remove<span class="visually-hidden"> ${name}</span></summary>
<form class="inline" method="post" action="/account/passkeys/${id}/name">
<div class="grow"><label for="name-${id}">Name</label><input id="name-${id}" name="name" required maxlength="100" autocomplete="off" value="${name}"></div>
<button class="second">Rename</button></form>
${proof === 'sign_in_again' ? html`<p class="muted">To remove it, sign out and sign in again.</p>` : remove}
</details>
</li>`;
}
