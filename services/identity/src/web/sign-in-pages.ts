import { html } from '@tocsin/html';
import { passkeySignIn } from './passkey-pages.ts';
import { type Document, documentOf, plainDocument } from './shell.ts';

export const USED_LINK = plainDocument(
  'This link can not be used any more',
  'A sign-in link works once, and for 15 minutes. Open the sign-in page to get another one.',
);

/** Page shown after a user requested a sign-in link. It is the same for addresses with and without an account. */
export const LINK_SENT = documentOf({
  title: 'Check your mail',
  body: html`<section class="card">
<h1>Check your mail</h1>
<p>If your address has an account here, a link that signs you in is on its way. It works once, for 15 minutes.</p>
<p class="muted">If you asked several times, use the latest mail. Nothing arrives? Check the address, and look in the folder for spam.</p>
<p><a href="/sign-in">Back</a></p>
</section>`,
});

/** Error shown to a user who must sign in at the organization's provider but tried another way. */
export const AT_PROVIDER =
  'Your organization lets you sign in only with its own sign-in: choose “Sign in with your organization”.';

/** Renders the form for signing in. A problem is shown above it. */
export function signInPage({
  next,
  email = '',
  problem,
}: {
  next: string;
  email?: string;
  problem?: string;
}): Document {
  return documentOf({
    title: 'Sign in',
    body: html`${problem && html`<p class="notice is-bad" role="alert">${problem}</p>`}
<section class="card">
<h1>Sign in</h1>
<form method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
<div>
<label for="email">Mail address</label>
<input id="email" name="email" type="email" required maxlength="254" autocomplete="username" value="${email}">
</div>
<div>
<label for="password">Password</label>
<input id="password" name="password" type="password" maxlength="400" autocomplete="current-password" aria-describedby="password-hint">
<p class="hint" id="password-hint">Leave it empty to get a link by mail.</p>
</div>
<div class="buttons">
<button name="by" value="password">Sign in</button>
<button class="second" name="by" value="link">Send me a link</button>
</div>
</form>
${passkeySignIn(next)}
<p><a href="/sign-in/organization?next=${encodeURIComponent(next)}">Sign in with your organization</a></p>
</section>`,
    hasPasskeys: true,
  });
}

/** Renders the page of a sign-in link. A button on the page signs the user in. */
export function linkPage(email: string): Document {
  return documentOf({
    title: 'Sign in',
    body: html`<section class="card">
<h1>Sign in</h1>
<p>You are about to sign in as <strong>${email}</strong>.</p>
<form method="post"><button>Sign in</button></form>
</section>`,
  });
}

/** Renders the form for the second-factor code. */
export function codePage(next: string, problem?: string): Document {
  return documentOf({
    title: 'Enter your code',
    body: html`${problem && html`<p class="notice is-bad" role="alert">${problem}</p>`}
<section class="card">
<h1>Enter your code</h1>
<form method="post" action="/sign-in/code">
<input type="hidden" name="next" value="${next}">
<div>
<label for="code">Code</label>
<input id="code" name="code" required maxlength="40" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" aria-describedby="code-hint">
<p class="hint" id="code-hint">Six digits from your authenticator app, or one of your recovery codes. If your organization lets you sign in only with its own sign-in, a recovery code.</p>
</div>
<button>Continue</button>
</form>
${passkeySignIn(next)}
<p><a href="/sign-in">Start again</a></p>
</section>`,
    hasPasskeys: true,
  });
}
