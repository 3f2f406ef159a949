import type { Role } from './role.ts';

/** Maximum numbers of members and of open invitations per organization. */
export const MAX_MEMBERS = 500;
export const MAX_INVITATIONS = 50;

/** How long an invitation is valid. */
export const INVITATION_MS = 7 * 24 * 3_600_000;

/** A user who is a member of an organization. */
export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  readonly since: Date;
  /** Time at which the user is deleted; undefined if no deletion was requested. */
  readonly deleteAt?: Date | undefined;
}

/** Returns the owners who have not requested the deletion of their account. */
export function lastingOwners(members: readonly Member[]): Member[] {
  return members.filter(({ role, deleteAt }) => role === 'owner' && deleteAt === undefined);
}

/** An invitation that was neither accepted nor revoked. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly expiresAt: Date;
}

/** Whether a role may invite, change and remove members. */
export function managesMembers(role: Role): boolean {
  return role !== 'member';
}

/** Whether a member with the role `actor` may give `role` to others. Only owners may grant the role `owner`. */
export function mayGrantRole(actor: Role, role: Role): boolean {
  return actor === 'owner' || (actor === 'admin' && role !== 'owner');
}

/** A change to a member: a new role, or undefined to remove the member. */
export interface MemberChange {
  /** Role of the user who makes the change. The operator of the installation acts as an owner. */
  readonly actor: Role;
  /** Whether the user's own membership is changed. */
  readonly isSelf: boolean;
  readonly from: Role;
  readonly to: Role | undefined;
  /** Number of other owners who have not requested the deletion of their account. */
  readonly otherOwners: number;
}

/** Returns why a change to a member is not allowed; undefined if it is allowed. */
export function problemOfChange({ actor, isSelf, from, to, otherOwners }: MemberChange): string | undefined {
  if (from === 'owner' && to !== 'owner' && otherOwners === 0) {
    return 'An organization needs an owner. Make another member an owner first.';
  }
  const leaves = isSelf && to === undefined;
  if (leaves) return undefined;
  if (!managesMembers(actor)) return 'Only owners and admins manage members.';
  if (actor === 'admin' && from === 'owner') return 'Only an owner changes or removes an owner.';
  if (to !== undefined && !mayGrantRole(actor, to)) return 'Only an owner makes another member an owner.';
  return undefined;
}
