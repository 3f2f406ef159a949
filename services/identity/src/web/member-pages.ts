import { type Html, html } from '@tocsin/html';
import { type Invitation, type Member, managesMembers, mayGrantRole } from '../domain/member-rules.ts';
import type { Membership } from '../domain/membership.ts';
import { ROLES, type Role } from '../domain/role.ts';
import type { User } from '../domain/session.ts';
import { membersPath, organizationPage } from './organization-pages.ts';
import type { Document } from './shell.ts';
import { timeHtml } from './time-html.ts';

/** Messages after a change, by their names in the URL. */
const DONE = {
  role: 'The role was changed.',
  removed: 'The member was removed.',
  invited: 'The invitation is on its way. It works for 7 days.',
  revoked: 'The invitation was revoked.',
} as const;

export type MembersDone = keyof typeof DONE;

export interface MembersView {
  readonly user: User;
  readonly membership: Membership;
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[];
}

/** Renders the members of an organization, with forms for users who may change them. */
export function membersPage(
  view: MembersView,
  { problem, done }: { problem?: string; done?: string | null },
): Document {
  const { user, membership } = view;
  const path = membersPath(membership.organization.id);
  const isManager = managesMembers(membership.role);
  return organizationPage(membership, {
    user,
    path,
    title: 'Members',
    problem,
    message: Object.entries(DONE).find(([name]) => name === done)?.[1],
    body: html`<div class="card list-card"><ul class="list">${view.members.map((member) => memberItem(view, path, member))}</ul></div>
<p class="muted">Owners and admins manage members and API keys. Only owners change owners. Members manage monitors, status pages, alert channels and disruptions. API keys belong to the organization: they keep working when the member who created them leaves.</p>
${isManager && invitationList(view, path)}
${isManager && inviteForm(membership.role, path)}`,
  });
}

function memberItem({ user, membership }: MembersView, path: string, member: Member): Html {
  const isSelf = member.userId === user.id;
  const changes = managesMembers(membership.role) && mayGrantRole(membership.role, member.role);
  const to = `${path}/${member.userId}`;
  return html`<li>
<div class="row"><span class="name">${member.email}${isSelf && html` <span class="mark">you</span>`}</span><span class="mark">${member.role}</span></div>
<p class="muted">Member since ${timeHtml(member.since)}</p>
${
  (changes || isSelf) &&
  html`<details><summary>${choicesFor(changes, isSelf)}<span class="visually-hidden"> (${member.email})</span></summary>
${
  changes &&
  html`<form class="inline" method="post" action="${to}/role">
<div class="grow"><label for="role-${member.userId}">Role of ${member.email}</label>${roleChoice(`role-${member.userId}`, membership.role, member.role)}</div>
<button class="second">Change role</button>
</form>`
}
<form method="post" action="${to}/remove">
<p>${isSelf ? 'You lose access to the organization at once.' : 'The member loses access at once, also with programs that the member connected.'}</p>
<button class="danger">${isSelf ? 'Leave' : 'Remove'}</button>
</form></details>`
}
</li>`;
}

/** Returns the label of the section with the forms that change a member. */
function choicesFor(changes: boolean, isSelf: boolean): string {
  if (!changes) return 'Leave';
  return isSelf ? 'Change role or leave' : 'Change role or remove';
}

function roleChoice(id: string, actor: Role, selected: Role): Html {
  const options = ROLES.filter((role) => mayGrantRole(actor, role)).map(
    (role) => html`<option value="${role}"${role === selected && html` selected`}>${role}</option>`,
  );
  return html`<select id="${id}" name="role">${options}</select>`;
}

function invitationList({ invitations }: MembersView, path: string): Html | undefined {
  if (invitations.length === 0) return undefined;
  const items = invitations.map(
    ({ id, email, role, invitedBy, expiresAt }) => html`<li>
<div class="row"><span class="name">${email}</span><span class="mark">${role}</span></div>
<div class="row"><p class="muted">Invited by ${invitedBy}, until ${timeHtml(expiresAt)}</p>
<form method="post" action="${path}/invitations/${id}/revoke"><button class="plain" aria-label="Revoke the invitation of ${email}">Revoke</button></form></div>
</li>`,
  );
  return html`<section class="stack" aria-labelledby="invitations"><h2 id="invitations">Open invitations</h2>
<div class="card list-card"><ul class="list">${items}</ul></div></section>`;
}

function inviteForm(actor: Role, path: string): Html {
  return html`<section class="stack" aria-labelledby="invite"><h2 id="invite">Invite somebody</h2>
<form class="card" method="post" action="${path}/invite">
<div><label for="email">Mail address</label><input id="email" name="email" type="email" required maxlength="254" autocomplete="off"></div>
<div><label for="role">Role</label>${roleChoice('role', actor, 'member')}</div>
<button>Send the invitation</button>
</form></section>`;
}
