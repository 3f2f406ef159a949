import { type Html, html } from '@tocsin/html';
import type { Account, Proof } from '../app/read-account.ts';
import { describeBrowser } from '../domain/describe-browser.ts';
import type { Session, SignedIn } from '../domain/session.ts';
import { membersPath } from './organization-pages.ts';
import { accountNavigation, type Document, documentOf } from './shell.ts';
import { timeHtml } from './time-html.ts';

/** Messages after a change, by their names in the URL. */
const DONE = {
  password: 'Your password was changed, and all other browsers were signed out.',
  factor_removed: 'The second factor was removed.',
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
    body: html`<h1>Account</h1>
${problem ? html`<p class="notice is-bad" role="alert">${problem}</p>` : message && html`<p class="notice" role="status">${message}</p>`}
${organizations(account)}
${password(account)}
${secondFactor(account)}
${sessions(account, session)}`,
  });
}

function organizations({ memberships }: Account): Html {
  const items = memberships.map(
    ({ organization: { id, name }, role }) => html`<li>
<div class="row"><a class="name" href="${membersPath(id)}">${name}</a><span class="mark">${role}</span></div>
</li>`,
  );
  const none = html`<p>You are not a member of an organization. An owner can invite you.</p>`;
  return html`<section class="stack" aria-labelledby="organizations">
<h2 id="organizations">Organizations</h2>
<div class="card${items.length > 0 ? ' list-card' : ''}">${items.length > 0 ? html`<ul class="list">${items}</ul>` : none}</div>
</section>`;
}

function password({ hasPassword, proof }: Account): Html {
  const form = html`<form method="post" action="/account/password">
${currentPassword(proof, 'password-current')}
<div><label for="new-password">New password</label>
<input id="new-password" name="password" type="password" required minlength="12" maxlength="400" autocomplete="new-password" aria-describedby="password-rule">
<p class="hint" id="password-rule">At least 12 characters. Changing it signs out all other browsers.</p></div>
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

/** Renders the field for the current password if a change needs it. */
function currentPassword(proof: Proof, id: string): Html | undefined {
  if (proof !== 'current_password') return undefined;
  return html`<div><label for="${id}">Current password</label>
<input id="${id}" name="current" type="password" required maxlength="400" autocomplete="current-password"></div>`;
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
