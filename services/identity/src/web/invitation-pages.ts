import { html } from '@tocsin/html';
import type { ShownInvitation } from '../app/invitations.ts';
import { MAX_MEMBERS } from '../domain/member-rules.ts';
import type { User } from '../domain/session.ts';
import { signInUrl } from './accounts.ts';
import { type Document, documentOf, plainDocument } from './shell.ts';

export const GONE_INVITATION = plainDocument(
  'This invitation is not valid any more',
  'An invitation works once, for 7 days, and until it is revoked. Ask for another one.',
);

export const FULL_ORGANIZATION = plainDocument(
  'The organization is full',
  `An organization has at most ${MAX_MEMBERS} members. Ask an owner to remove one, and open the link again.`,
);

/** Renders an invitation, with the next step for this visitor. */
export function invitationPage(
  { invitation, hasAccount }: ShownInvitation,
  user: User | undefined,
  path: string,
): Document {
  const { email, role, organization, invitedBy } = invitation;
  const accept = html`<form method="post"><button>Join ${organization.name}</button></form>`;
  const isOther = user && user.email.toLowerCase() !== email.toLowerCase();
  const next = isOther
    ? html`<p class="notice is-bad">This invitation is for ${email}, but you are signed in as ${user.email}. Sign out, and open the link again.</p>
<form method="post" action="/account/sign-out"><button class="second">Sign out</button></form>`
    : user
      ? accept
      : hasAccount
        ? html`<p>To accept it, sign in as ${email}.</p><p><a class="button" href="${signInUrl(path)}">Sign in</a></p>`
        : html`<p>Joining creates an account for ${email}.</p>${accept}`;
  return documentOf({
    title: 'Invitation',
    body: html`<section class="card">
<h1>Join ${organization.name}</h1>
<p>${invitedBy} invites you to ${organization.name}. Your role will be ${role}.</p>
${next}
</section>`,
  });
}
