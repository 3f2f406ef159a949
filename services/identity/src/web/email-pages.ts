import { html } from '@tocsin/html';
import type { EmailChange } from '../domain/email-change.ts';
import type { User } from '../domain/session.ts';
import { type Document, documentOf, plainDocument } from './shell.ts';

export const GONE_CHANGE = plainDocument(
  'This link can not be used any more',
  'It works once, for 24 hours, in a browser in which you are signed in to the account, and until you ask for another one.',
);

export const GONE_UNDO = plainDocument(
  'This link can not be used any more',
  'A change of the mail address can be undone once, within 7 days.',
);

export const TAKEN_ADDRESS = plainDocument(
  'The address is in use',
  'Another account has this address. An account with it can not be changed here: ask the operator for help.',
);

export const UNDONE = documentOf({
  title: 'The change was undone',
  body: html`<section class="card">
<h1>The change was undone</h1>
<p>Your account has its earlier address again. All browsers were signed out, and the access of programs was ended. A password, passkey or second factor that was set since the change was removed.</p>
<p><a class="button" href="/sign-in">Sign in</a></p>
<p class="muted">Then look at the members and the API keys of your organizations: the other person may have changed them.</p>
</section>`,
});

/** Renders the page for the link that confirms a new mail address. */
export function confirmEmailPage(user: User, { newEmail }: EmailChange): Document {
  return documentOf({
    title: 'Change the mail address',
    user,
    body: html`<section class="card">
<h1>Change the mail address</h1>
<p>The address of your account changes from <strong>${user.email}</strong> to <strong>${newEmail}</strong>. All other browsers are signed out.</p>
<form method="post"><button>Change the address</button></form>
</section>`,
  });
}

/** Renders the page for the link that undoes a change of mail address. */
export function undoEmailPage({ oldEmail }: EmailChange): Document {
  return documentOf({
    title: 'Undo the change of the mail address',
    body: html`<section class="card">
<h1>Undo the change of the mail address</h1>
<p>The address of your account becomes <strong>${oldEmail}</strong> again. All browsers are signed out, the access of programs ends, and a password, passkey or second factor that was set since the change is removed.</p>
<form method="post"><button class="danger">Undo the change</button></form>
</section>`,
  });
}
