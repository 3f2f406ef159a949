import type { Transaction } from '@tocsin/database';
import { notFound, ServiceError } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import { lastingOwners, type Member, mayGrantRole, problemOfChange } from '../domain/member-rules.ts';
import type { Membership } from '../domain/membership.ts';
import type { Role } from '../domain/role.ts';
import type { SignedIn, User } from '../domain/session.ts';
import { credentialRevoked } from '../events/outgoing.ts';
import { type AuditEntry, insertAudit } from '../storage/audit-store.ts';
import { deleteInvitation, listInvitations } from '../storage/invitation-store.ts';
import {
  deleteMembership,
  findMembership,
  lockMembers,
  listMembers as readMembers,
  saveMembership,
} from '../storage/membership-store.ts';
import { listGrantIdsOfMember } from '../storage/oauth-grant-store.ts';
import { endGrantsOfMember } from './oauth/grants.ts';
import type { Deps } from './ports.ts';

type MemberDeps = Pick<Deps, 'database' | 'now'>;

/** Actor that changes the members of an organization: a member, or the operator of the installation. */
export type MemberActor =
  | { readonly kind: 'member'; readonly signedIn: SignedIn }
  | { readonly kind: 'operator'; readonly name: string };

/**
 * Returns a user's membership in an organization.
 * @throws ServiceError `not_found` if the organization does not exist or the user is not a member.
 */
export async function readMembership(
  { database }: MemberDeps,
  organizationId: string,
  user: User,
): Promise<Membership> {
  const membership = isId(organizationId)
    ? await database.transaction({ organizationId }, (tx) => findMembership(tx, organizationId, user.id))
    : undefined;
  if (!membership) throw notFound('organization');
  return membership;
}

export async function listMembers({ database }: MemberDeps, organizationId: string): Promise<Member[]> {
  return database.transaction({ organizationId }, (tx) => readMembers(tx, organizationId));
}

/**
 * Changes the role of a member, or removes the member if `role` is undefined. Revokes the OAuth grants of a removed
 * member. After a change to the role, the member's OAuth grants stay valid, but are limited to the permissions of the
 * new role. In both cases, revokes the open invitations that the member may no longer send.
 * @throws ServiceError `not_found` if the member does not exist, or `forbidden` with the reason if the change is not
 * allowed.
 */
export async function changeMember(
  { database, now }: MemberDeps,
  {
    organizationId,
    userId,
    role,
    actor,
  }: { organizationId: string; userId: string; role: Role | undefined; actor: MemberActor },
): Promise<void> {
  if (!isId(userId)) throw notFound('member');
  const occurredAt = now();
  await database.transaction({ organizationId }, async (tx) => {
    await lockMembers(tx, organizationId);
    const members = await readMembers(tx, organizationId);
    const member = members.find((one) => one.userId === userId);
    if (!member) throw notFound('member');
    const problem = problemOfChange({
      actor: roleOf(actor, members),
      isSelf: actor.kind === 'member' && actor.signedIn.user.id === userId,
      from: member.role,
      to: role,
      otherOwners: lastingOwners(members).filter((one) => one.userId !== userId).length,
    });
    if (problem) throw new ServiceError('forbidden', problem);
    if (role === member.role) return;
    await revokeInvitationsOf(tx, { organizationId, member, role, actor, occurredAt });
    const entry = { organizationId, targetId: userId, occurredAt, ...actorEntry(actor) };
    if (role === undefined) {
      await deleteMembership(tx, organizationId, userId);
      await endGrantsOfMember(tx, { organizationId, userId }, { actor: entry.actor, now: occurredAt });
      await insertAudit(tx, {
        ...entry,
        action: 'member.removed',
        details: { email: member.email, role: member.role },
      });
      return;
    }
    await saveMembership(tx, { organizationId, userId, role, createdAt: occurredAt });
    await dropTokens(tx, { organizationId, userId }, occurredAt);
    const details = { email: member.email, from: member.role, to: role };
    await insertAudit(tx, { ...entry, action: 'member.role_changed', details });
  });
}

/** Returns the fields of an audit entry that name an actor. */
export function actorEntry(actor: MemberActor): Pick<AuditEntry, 'actor' | 'address' | 'credentialId'> {
  if (actor.kind === 'operator') return { actor: actor.name };
  const { user, session } = actor.signedIn;
  return { actor: user.email, address: session.device.address, credentialId: session.id };
}

/**
 * Returns the role of an actor among the members.
 * @throws ServiceError `not_found` if the actor is no longer a member.
 */
export function roleOf(actor: MemberActor, members: readonly Member[]): Role {
  if (actor.kind === 'operator') return 'owner';
  const role = members.find(({ userId }) => userId === actor.signedIn.user.id)?.role;
  if (!role) throw notFound('organization');
  return role;
}

/** Revokes the open invitations that a member may no longer send with the new role. */
async function revokeInvitationsOf(
  tx: Transaction,
  {
    organizationId,
    member,
    role,
    actor,
    occurredAt,
  }: {
    organizationId: string;
    member: Member;
    role: Role | undefined;
    actor: MemberActor;
    occurredAt: Date;
  },
): Promise<void> {
  for (const invitation of await listInvitations(tx, organizationId, occurredAt)) {
    if (invitation.invitedBy !== member.email || (role && mayGrantRole(role, invitation.role))) continue;
    await deleteInvitation(tx, organizationId, invitation.id);
    const entry = { organizationId, ...actorEntry(actor), action: 'invitation.revoked', targetId: invitation.id };
    await insertAudit(tx, { ...entry, details: { email: invitation.email }, occurredAt });
  }
}

/**
 * Makes the gateway discard cached internal tokens of the member's grants, because they contain the permissions of the
 * previous role. The grants stay valid.
 */
async function dropTokens(
  tx: Transaction,
  member: { organizationId: string; userId: string },
  now: Date,
): Promise<void> {
  const grants = await listGrantIdsOfMember(tx, member);
  await appendEvents(
    tx,
    grants.map((id) => credentialRevoked(member.organizationId, id)),
    now,
  );
}
