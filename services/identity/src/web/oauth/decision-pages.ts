import { PERMISSION_TEXTS, type Permission } from '@tocsin/enums';
import { type Html, html } from '@tocsin/html';
import type { ShownClient } from '../../app/oauth/clients.ts';
import type { Membership } from '../../domain/membership.ts';
import type { SignedIn, User } from '../../domain/session.ts';
import { type Document, documentOf } from '../shell.ts';

export const TOO_MANY_GRANTS = 'You have given access too often today. Try again tomorrow.';

/** A client's access request that the user decides on. */
export interface AccessRequest {
  readonly signedIn: SignedIn;
  readonly client: ShownClient;
  readonly memberships: readonly Membership[];
  readonly permissions: readonly Permission[];
  /** Redirect URI of the client; undefined for a device. */
  readonly redirectUri: string | undefined;
  /** Code that the device shows; undefined for an authorization request. */
  readonly userCode: string | undefined;
  /** Problem with the decision that the user submitted. */
  readonly problem?: string | undefined;
}

/** Renders the page on which a user allows or denies a client access. */
export function decisionPage(request: AccessRequest): Document {
  const { signedIn, client, memberships, redirectUri, userCode, problem } = request;
  return documentOf({
    title: 'Allow access',
    user: signedIn.user,
    formTargets: redirectUri === undefined ? [] : [formTarget(redirectUri)],
    body: html`<section class="card">
<h1>Allow “${client.name}” to access Tocsin?</h1>
${userCode && codeNotice(userCode)}
${client.isSelfRegistered ? html`<p>This program registered itself under that name, which Tocsin has not checked. Continue only if you trust it.</p>` : undefined}
${redirectUri && html`<p>After your decision you go to <strong>${destinationOf(redirectUri)}</strong>.</p>`}
${problem && html`<p class="notice is-bad" role="alert">${problem}</p>`}
<form method="post">
${userCode && html`<input type="hidden" name="user_code" value="${userCode}">`}
${organizationChoice(memberships)}
${permissionChoice(request.permissions)}
<p class="hint">Your own role in the organization limits what it can do.</p>
<div class="buttons">
${memberships.length > 0 && html`<button name="decision" value="allow">Allow access</button>`}
<button class="second" name="decision" value="deny" formnovalidate>Deny</button>
</div>
</form>
</section>`,
  });
}

/** Renders the page on which a user enters the code that a device shows. */
export function codePage(user: User, { typed = '', problem }: { typed?: string; problem?: string } = {}): Document {
  const invalid = problem && html` aria-invalid="true" aria-describedby="problem"`;
  return documentOf({
    title: 'Connect a device',
    user,
    body: html`<section class="card">
<h1>Connect a device</h1>
<p>Enter the code that the program or device shows.</p>
<form method="get" action="/oauth/device">
<label>Code <input name="user_code" value="${typed}" maxlength="20" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus${invalid}></label>
${problem && html`<p class="notice is-bad" id="problem" role="alert">${problem}</p>`}
<button>Continue</button>
</form>
</section>`,
  });
}

/** Renders the page after a decision about a device. */
export function resultPage(user: User, { isAllowed, name }: { isAllowed: boolean; name: string }): Document {
  const [title, text] = isAllowed
    ? ['Access allowed', `“${name}” now has access. You can close this page and go back to it.`]
    : ['Access denied', `“${name}” gets no access. You can close this page.`];
  return documentOf({ title, user, body: html`<section class="card"><h1>${title}</h1><p>${text}</p></section>` });
}

/** Renders the error of a self-registered client's request. A link to `location` reports the error to the client. */
export function requestErrorPage({ name, location }: { name: string; location: string }): Document {
  const { searchParams, hash } = new URL(location);
  const reported = searchParams.has('error') ? searchParams : new URLSearchParams(hash.slice(1));
  const title = 'This request for access does not work';
  return documentOf({
    title,
    body: html`<section class="card"><h1>${title}</h1>
<p>${reported.get('error_description') ?? ''} (${reported.get('error') ?? ''})</p>
<p>The program that sent you here registered itself as “${name}”, which Tocsin has not checked. Continue only if you trust it.</p>
<p><a href="${location}">Continue to ${destinationOf(location)}</a></p>
</section>`,
  });
}

function codeNotice(userCode: string): Html {
  return html`<p>The program or device has to show exactly this code:</p>
<p class="secret">${userCode}</p>
<p>If somebody sent you this code or link, choose “Deny”: that person would get the access.</p>`;
}

function organizationChoice(memberships: readonly Membership[]): Html {
  const [only, ...others] = memberships;
  if (!only) return html`<p>You are not a member of any organization, so there is nothing to give access to.</p>`;
  if (others.length === 0) {
    return html`<p>Organization: <strong>${only.organization.name}</strong></p><input type="hidden" name="organization" value="${only.organization.id}">`;
  }
  return html`<fieldset><legend>Organization</legend>${memberships.map(
    ({ organization: { id, name }, role }) =>
      html`<label class="choice"><input type="radio" name="organization" value="${id}" required><span>${name} <span class="muted">(${role})</span></span></label>`,
  )}</fieldset>`;
}

function permissionChoice(permissions: readonly Permission[]): Html {
  return html`<fieldset><legend>What it may do</legend>${permissions.map(
    (name) =>
      html`<label class="choice"><input type="checkbox" name="scope" value="${name}" checked><span>${PERMISSION_TEXTS[name]}</span></label>`,
  )}</fieldset>`;
}

/** Returns a description of a redirect URI's destination for the user. */
function destinationOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  if (url.protocol === 'https:') return url.host;
  return url.protocol === 'http:'
    ? `a program on this computer (${url.host})`
    : `an app on this device (${url.protocol})`;
}

/** Returns the source with which a content security policy allows a redirect to a URI. */
function formTarget(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  // A source can't contain an IPv6 address (CSP Level 3 §2.3.1).
  const isWeb = /^https?:$/.test(protocol) && !hostname.startsWith('[');
  return isWeb ? `${protocol}//${host}` : protocol;
}
