import { type Html, html } from '@tocsin/html';
import type { Account } from '../app/read-account.ts';
import { describeBrowser } from '../domain/describe-browser.ts';
import type { Session, SignedIn, User } from '../domain/session.ts';
import { currentPassword } from './current-password.ts';
import { membersPath } from './organization-pages.ts';
import { passkeySection } from './passkey-pages.ts';
import { accountNavigation, type Document, documentOf, plainDocument } from './shell.ts';
import { timeHtml } from './time-html.ts';

/** Messages that the page shows after a change, by the value of `done` in the URL. */
const DONE = {
  password: 'Your password was changed, and all other browsers were signed out.',
  email_sent:
    'If no other account has the new address, an email with a link is on its way to it. It works for 24 hours.',
  email: 'Your mail address was changed, and all other browsers were signed out.',
  factor_removed: 'The second factor was removed.',
  passkey: 'The passkey was added. You can sign in with it.',
  passkey_renamed: 'The passkey was renamed.',
  passkey_removed: 'The passkey was removed.',
  kept: 'The deletion of your account was cancelled.',
  left: 'You are no longer a member of the organization.',
  session: 'The browser was signed out.',
  sessions: 'All other browsers were signed out.',
} as const;

export type Done = keyof typeof DONE;

/** Renders the page of a user's account. A problem or a message is shown at the top. */
export function accountPage(
  { user, session }: SignedIn,
  account: Account,
  { problem, done }: { problem?: string | undefined; done?: string | null },
): Document {
  const message = Object.entries(DONE).find(([name]) => name === done)?.[1];
  return documentOf({
    title: 'Account',
    user,
    navigation: accountNavigation('/account'),
    hasPasskeys: true,
    body: html`<h1>Account</h1>
${problem ? html`<p class="notice is-bad" role="alert">${problem}</p>` : message && html`<p class="notice" role="status">${message}</p>`}
${account.deleteAt && deletionNotice(account.deleteAt)}
${organizations(account)}
${emailAddress(user, account)}
${password(account)}
${passkeySection(account.passkeys, account.proof)}
${secondFactor(account)}
${sessions(account, session)}
${account.deleteAt === undefined && deletion(account)}`,
  });
}

function organizations({ memberships }: Account): Html {
  const items = memberships.map(
    ({ organization: { id, name, deleteAt }, role }) => html`<li>
<div class="row"><a class="name" href="${membersPath(id)}">${name}</a><span class="mark">${role}</span></div>${deleteAt && html`<p class="muted">Stopped. Will be deleted ${timeHtml(deleteAt)}.</p>`}
</li>`,
  );
  const none = html`<p>You are not a member of an organization. An owner can invite you.</p>`;
  return html`<section class="stack" aria-labelledby="organizations">
<h2 id="organizations">Organizations</h2>
<div class="card${items.length > 0 ? ' list-card' : ''}">${items.length > 0 ? html`<ul class="list">${items}</ul>` : none}</div>
</section>`;
}

function emailAddress({ email }: User, { proof }: Account): Html {
  const form = html`<form method="post" action="/account/email">
${currentPassword(proof, 'email-current')}
<div><label for="new-email">New mail address</label>
<input id="new-email" name="email" type="email" required maxlength="254" autocomplete="email" aria-describedby="email-rule">
<p class="hint" id="email-rule">It gets a link with which you confirm it. The earlier address can undo the change for 7 days.</p></div>
<button>Change address</button>
</form>`;
  return html`<section class="stack" aria-labelledby="address">
<h2 id="address">Mail address</h2>
<div class="card">
<p>${email}</p>
${proof === 'sign_in_again' ? html`<p class="muted">To change this, sign out and sign in again.</p>` : html`<details><summary>Change the address</summary>${form}</details>`}
</div>
</section>`;
}

function password({ hasPassword, proof }: Account): Html {
  const form = html`<form method="post" action="/account/password">
${currentPassword(proof, 'password-current')}
<div><label for="new-password">New password</label>
<input id="new-password" name="password" type="password" required minlength="12" maxlength="400" autocomplete="new-password" aria-describedby="password-rule">
<p class="hint" id="password-rule">At least 12 characters. Changing it signs out all other browsers.</p></div>
<label class="choice"><input type="checkbox" name="end_programs"><span>Also end the access of my programs</span></label>
<button>${hasPassword ? 'Change password' : 'Set password'}</button>
</form>`;
  return html`<section class="stack" aria-labelledby="password">
<h2 id="password">Password</h2>
<div class="card">
<p>${hasPassword ? 'You can sign in with your password or with a link by mail.' : 'You sign in with links by mail. You can set a password as well.'}</p>
${proof === 'sign_in_again' ? html`<p class="muted">To set a password, sign out and sign in again.</p>` : form}
</div>
</section>`;
}

function secondFactor({ recoveryCodes, proof }: Account): Html {
  const isOff = recoveryCodes === undefined;
  const form = (action: string, button: Html) =>
    html`<form method="post" action="/account/second-factor/${action}">${currentPassword(proof, `${action}-current`)}${button}</form>`;
  const change = isOff
    ? form('start', html`<button>Set up</button>`)
    : html`<div class="stack">${form('codes', html`<button class="second">Replace the recovery codes</button>`)}
${form('remove', html`<button class="danger">Remove the second factor</button>`)}</div>`;
  return html`<section class="stack" aria-labelledby="second-factor">
<h2 id="second-factor">Second factor</h2>
<div class="card">
<p>${isOff ? 'With a second factor, signing in also needs a code of an authenticator app on your phone.' : `Signing in needs a code of your authenticator app. Unused recovery codes: ${recoveryCodes}.`}</p>
${proof === 'sign_in_again' ? html`<p class="muted">To change this, sign out and sign in again.</p>` : change}
</div>
</section>`;
}

function sessions({ sessions: all }: Account, current: Session): Html {
  const items = all.map((session) => {
    const isCurrent = session.id === current.id;
    const name = describeBrowser(session.device.userAgent);
    return html`<li>
<div class="row"><span class="name">${name}${isCurrent && html` <span class="mark">this browser</span>`}</span>${
      !isCurrent &&
      html`<form method="post" action="/account/sessions/${session.id}/end"><button class="plain" aria-label="Sign out ${name}, ${session.device.address}">Sign out</button></form>`
    }</div>
<p class="muted">${session.device.address && `${session.device.address} · `}signed in ${timeHtml(session.createdAt)} · last used ${timeHtml(session.lastUsedAt)}</p>
</li>`;
  });
  return html`<section class="stack" aria-labelledby="sessions">
<h2 id="sessions">Signed-in browsers</h2>
<div class="card list-card"><ul class="list">${items}</ul></div>
${all.length > 1 && html`<form method="post" action="/account/sessions/end-others"><button class="second">Sign out everywhere else</button></form>`}
</section>`;
}

export const DELETION_REQUESTED = plainDocument(
  'Your account will be deleted',
  'This happens in 14 days. To keep the account, sign in before then, and cancel the deletion on the account page.',
);

function deletionNotice(deleteAt: Date): Html {
  return html`<section class="card" aria-label="Deletion">
<p>Your account will be deleted ${timeHtml(deleteAt)}.</p>
<form method="post" action="/account/cancel-deletion"><button>Cancel the deletion</button></form>
</section>`;
}

function deletion({ proof }: Account): Html {
  const form = html`<form method="post" action="/account/delete">${currentPassword(proof, 'delete-current')}
<p>You are signed out everywhere, and programs lose the access that you gave them. Organizations continue with their other members. You can cancel the deletion for 14 days.</p>
<button class="danger">Delete my account</button></form>`;
  return html`<section class="stack" aria-labelledby="deletion">
<h2 id="deletion">Delete the account</h2>
<div class="card">${proof === 'sign_in_again' ? html`<p class="muted">To delete your account, sign out and sign in again.</p>` : html`<details><summary>Delete my account</summary>${form}</details>`}</div>
</section>`;
}
