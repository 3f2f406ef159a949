import { Html, html } from '@tocsin/html';
import { renderSVG } from 'uqr';
import type { NewFactor } from '../app/second-factor.ts';
import type { User } from '../domain/session.ts';
import { type Document, documentOf } from './shell.ts';

/** Renders the page on which a user connects an authenticator app. */
export function newFactorPage(user: User, { uri, key }: NewFactor, problem?: string): Document {
  // The markup that the library returns needs no escaping, because it contains the URI only as black and white squares.
  const picture = new Html(renderSVG(uri, { border: 2 }));
  return documentOf({
    title: 'Set up the second factor',
    user,
    body: html`<h1>Set up the second factor</h1>
${problem && html`<p class="notice is-bad" role="alert">${problem}</p>`}
<section class="card">
<p>Scan this code with an authenticator app, or enter the key in it.</p>
<div class="qr" role="img" aria-label="QR code with the key below">${picture}</div>
<p><span class="muted">Key</span> <code class="secret">${key.replace(/.{4}(?=.)/g, '$& ')}</code></p>
<form method="post" action="/account/second-factor/enable">
<div><label for="code">Code that the app shows</label>
<input id="code" name="code" required inputmode="numeric" maxlength="10" autocomplete="one-time-code"></div>
<button>Turn on</button>
</form>
<p><a href="/account">Cancel</a></p>
</section>`,
  });
}

/** Renders recovery codes. They are shown once. */
export function recoveryCodesPage(user: User, codes: readonly string[]): Document {
  return documentOf({
    title: 'Recovery codes',
    user,
    body: html`<h1>Recovery codes</h1>
<section class="card">
<p>Keep these codes where your phone is not. Each signs you in once in place of a code of the app. They are not shown again.</p>
<ul class="codes">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<p><a class="button" href="/account">Done</a></p>
</section>`,
  });
}
