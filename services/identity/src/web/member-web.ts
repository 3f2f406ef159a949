import { ServiceError } from '@tocsin/errors';
import { invite, listInvitations, revokeInvitation } from '../app/invitations.ts';
import { changeMember, listMembers } from '../app/members.ts';
import type { Deps } from '../app/ports.ts';
import { managesMembers } from '../domain/member-rules.ts';
import type { Membership } from '../domain/membership.ts';
import { isRole, type Role } from '../domain/role.ts';
import type { SignedIn } from '../domain/session.ts';
import type { Accounts } from './accounts.ts';
import { type Exchange, readForm, redirectTo, sendPage } from './exchange.ts';
import type { WebRoute } from './identity-web.ts';
import { memberHandler } from './member-handler.ts';
import { type MembersDone, membersPage } from './member-pages.ts';
import { membersPath } from './organization-pages.ts';

const PATH = membersPath(':organization');

/** Returns the routes for an organization's members. Users who are not members get a 404. */
export function memberRoutes(deps: Deps, accounts: Accounts): WebRoute[] {
  const forMember = memberHandler(deps, accounts);

  async function show(exchange: Exchange, { user }: SignedIn, membership: Membership, problem?: string): Promise<void> {
    const { id } = membership.organization;
    const members = await listMembers(deps, id);
    const invitations = managesMembers(membership.role) ? await listInvitations(deps, id) : [];
    const done = exchange.url.searchParams.get('done');
    const page = membersPage({ user, membership, members, invitations }, { ...(problem && { problem }), done });
    sendPage(exchange, problem ? 422 : 200, page);
  }
  const finish = (exchange: Exchange, { organization }: Membership, done: MembersDone) =>
    redirectTo(exchange, `${membersPath(organization.id)}?done=${done}`);

  /**
   * Changes a member, and returns whether the change was made. If the change is not allowed, shows the members page
   * with an error.
   */
  async function change(exchange: Exchange, signedIn: SignedIn, membership: Membership, role: Role | undefined) {
    const organizationId = membership.organization.id;
    const actor = { kind: 'member', signedIn } as const;
    try {
      await changeMember(deps, { organizationId, userId: exchange.params.user ?? '', role, actor });
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError && error.kind === 'forbidden')) throw error;
      await show(exchange, signedIn, membership, error.message);
      return false;
    }
  }

  return [
    { path: PATH, get: forMember((exchange, signedIn, membership) => show(exchange, signedIn, membership)) },
    {
      path: `${PATH}/invite`,
      post: forMember(async (exchange, signedIn, membership) => {
        const form = await readForm(exchange);
        const [email, role] = [(form.get('email') ?? '').trim(), form.get('role') ?? ''];
        const organizationId = membership.organization.id;
        const problem = isRole(role)
          ? await invite(deps, { organizationId, signedIn, email, role })
          : 'Choose a role from the list.';
        if (problem) await show(exchange, signedIn, membership, problem);
        else finish(exchange, membership, 'invited');
      }),
    },
    {
      path: `${PATH}/invitations/:id/revoke`,
      post: forMember(async (exchange, signedIn, membership) => {
        const organizationId = membership.organization.id;
        await revokeInvitation(deps, { organizationId, signedIn, id: exchange.params.id ?? '' });
        finish(exchange, membership, 'revoked');
      }),
    },
    {
      path: `${PATH}/:user/role`,
      post: forMember(async (exchange, signedIn, membership) => {
        const role = (await readForm(exchange)).get('role') ?? '';
        if (!isRole(role)) return show(exchange, signedIn, membership, 'Choose a role from the list.');
        if (await change(exchange, signedIn, membership, role)) finish(exchange, membership, 'role');
      }),
    },
    {
      path: `${PATH}/:user/remove`,
      post: forMember(async (exchange, signedIn, membership) => {
        if (!(await change(exchange, signedIn, membership, undefined))) return;
        if (exchange.params.user === signedIn.user.id) redirectTo(exchange, '/account?done=left');
        else finish(exchange, membership, 'removed');
      }),
    },
  ];
}
