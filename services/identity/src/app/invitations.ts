import { ServiceError } from '@tocsin/errors';
import { isEmail, isId } from '@tocsin/text';
import { v7 } from 'uuid';
import {
  INVITATION_MS,
  type Invitation,
  MAX_INVITATIONS,
  MAX_MEMBERS,
  managesMembers,
  mayGrantRole,
} from '../domain/member-rules.ts';
import type { Role } from '../domain/role.ts';
import type { Device, SignedIn, User } from '../domain/session.ts';
import { insertAudit } from '../storage/audit-store.ts';
import {
  deleteInvitation,
  type FoundInvitation,
  lockInvitation,
  listInvitations as readInvitations,
  saveInvitation,
} from '../storage/invitation-store.ts';
import { listMembers, lockMembers, saveMembership } from '../storage/membership-store.ts';
import { upsertUser } from '../storage/organization-store.ts';
import { findUserByEmail } from '../storage/user-store.ts';
import { isWithinLimit } from './limit-attempts.ts';
import { actorEntry, readMembership, roleOf } from './members.ts';
import type { Deps } from './ports.ts';
import { createSecret, hashSecret, isSecret } from './secret.ts';
import { type StartedSession, signIn } from './sign-in.ts';

type InvitationDeps = Pick<Deps, 'database' | 'now' | 'baseUrl' | 'mails' | 'background'>;

/**
 * Invites an email address to an organization. An earlier invitation for the address is replaced. The invitation email
 * is sent in the background.
 * @returns the reason why the invitation was refused; undefined if the invitation was saved.
 * @throws ServiceError `not_found` if the signed-in user is not a member.
 */
export async function invite(
  deps: InvitationDeps,
  { organizationId, signedIn, email, role }: { organizationId: string; signedIn: SignedIn; email: string; role: Role },
): Promise<string | undefined> {
  if (!isEmail(email)) return 'Enter a mail address, such as kim@example.com.';
  const { database, now } = deps;
  const membership = await readMembership(deps, organizationId, signedIn.user);
  if (!managesMembers(membership.role)) return 'Only owners and admins invite members.';
  if (!mayGrantRole(membership.role, role)) return 'Only an owner invites another owner.';
  const isWithin =
    (await isWithinLimit(deps, 'invitation_of_organization', organizationId)) &&
    (await isWithinLimit(deps, 'invitation_for_email', `${organizationId} ${email}`));
  if (!isWithin) return 'Too many invitations were sent today. Try again tomorrow.';
  const secret = createSecret();
  const createdAt = now();
  const invitedBy = signedIn.user.email;
  const expiresAt = new Date(createdAt.getTime() + INVITATION_MS);
  const problem = await database.transaction({ organizationId }, async (tx) => {
    await lockMembers(tx, organizationId);
    const members = await listMembers(tx, organizationId);
    // The inviter's role may have changed since it was read.
    if (!mayGrantRole(roleOf({ kind: 'member', signedIn }, members), role)) return 'Your role has changed.';
    const isSame = (other: { readonly email: string }) => other.email.toLowerCase() === email.toLowerCase();
    if (members.some(isSame)) return `${email} is a member already.`;
    if (members.length >= MAX_MEMBERS) return `An organization has at most ${MAX_MEMBERS} members.`;
    const open = await readInvitations(tx, organizationId, createdAt);
    if (open.length >= MAX_INVITATIONS && !open.some(isSame)) {
      return `An organization has at most ${MAX_INVITATIONS} open invitations. Revoke one first.`;
    }
    const id = v7();
    const secretHash = hashSecret(secret);
    await saveInvitation(tx, { id, organizationId, email, role, secretHash, invitedBy, createdAt, expiresAt });
    const actor = actorEntry({ kind: 'member', signedIn });
    const details = { email, role };
    await insertAudit(tx, {
      organizationId,
      ...actor,
      action: 'member.invited',
      targetId: id,
      details,
      occurredAt: createdAt,
    });
    return undefined;
  });
  if (problem) return problem;
  const url = `${deps.baseUrl}/invitations/${secret}`;
  const { name } = membership.organization;
  deps.background.run(organizationId, 'sending an invitation', () =>
    deps.mails.invitation(email, { url, organizationName: name, invitedBy }),
  );
  return undefined;
}

/** Returns an organization's open invitations, newest first. */
export async function listInvitations(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  organizationId: string,
): Promise<Invitation[]> {
  return database.transaction({ organizationId }, (tx) => readInvitations(tx, organizationId, now()));
}

/**
 * Revokes an invitation. Its link then no longer works.
 * @throws ServiceError `forbidden` if the member's role does not allow it, `not_found` if the user is not a member.
 */
export async function revokeInvitation(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  { organizationId, signedIn, id }: { organizationId: string; signedIn: SignedIn; id: string },
): Promise<void> {
  await database.transaction({ organizationId }, async (tx) => {
    const role = roleOf({ kind: 'member', signedIn }, await listMembers(tx, organizationId));
    if (!managesMembers(role)) throw new ServiceError('forbidden', 'Only owners and admins manage members.');
    const email = isId(id) ? await deleteInvitation(tx, organizationId, id) : undefined;
    if (email === undefined) return;
    const actor = actorEntry({ kind: 'member', signedIn });
    const entry = { organizationId, ...actor, action: 'invitation.revoked', targetId: id, occurredAt: now() };
    await insertAudit(tx, { ...entry, details: { email } });
  });
}

/** The fields of an invitation that its web page shows. */
export interface ShownInvitation {
  readonly invitation: FoundInvitation;
  /** Whether an account has the invitation's address. The account's user must then sign in to accept the invitation. */
  readonly hasAccount: boolean;
}

/** Returns the invitation of a link; undefined if the link is unknown, used, revoked or expired. */
export async function readInvitation(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  secret: string,
): Promise<ShownInvitation | undefined> {
  if (!isSecret(secret)) return undefined;
  return database.transaction('every organization', async (tx) => {
    const invitation = await lockInvitation(tx, hashSecret(secret), now());
    return invitation && { invitation, hasAccount: (await findUserByEmail(tx, invitation.email)) !== undefined };
  });
}

export type AcceptOutcome =
  | { readonly kind: 'joined'; readonly organizationId: string; readonly session: StartedSession | undefined }
  /** An account with the invitation's address exists, and its user must sign in first. */
  | { readonly kind: 'sign_in' }
  /** The organization already has the maximum number of members. */
  | { readonly kind: 'full' }
  /** The signed-in user has a different address. */
  | { readonly kind: 'other_address' }
  | { readonly kind: 'gone' };

/**
 * Accepts an invitation. If no account has the invitation's address, creates one and signs the visitor in, because
 * the link was sent to this address. The user of an existing account must sign in first, because an invitation is valid
 * for longer than a sign-in link.
 */
export async function acceptInvitation(
  { database, now }: Pick<Deps, 'database' | 'now'>,
  { secret, user, device }: { secret: string; user: User | undefined; device: Device },
): Promise<AcceptOutcome> {
  if (!isSecret(secret)) return { kind: 'gone' };
  const joinedAt = now();
  return database.transaction('every organization', async (tx) => {
    const invitation = await lockInvitation(tx, hashSecret(secret), joinedAt);
    if (!invitation) return { kind: 'gone' };
    const { email, role, organization } = invitation;
    if (user && user.email.toLowerCase() !== email.toLowerCase()) return { kind: 'other_address' };
    if (!user && (await findUserByEmail(tx, email))) return { kind: 'sign_in' };
    await lockMembers(tx, organization.id);
    const members = await listMembers(tx, organization.id);
    const isMember = members.some(({ userId }) => userId === user?.id);
    if (!isMember && members.length >= MAX_MEMBERS) return { kind: 'full' };
    const joining = user ?? { id: await upsertUser(tx, { id: v7(), email, createdAt: joinedAt }), email };
    if (!isMember) {
      const membership = { organizationId: organization.id, userId: joining.id, role, createdAt: joinedAt };
      await saveMembership(tx, membership);
      await insertAudit(tx, {
        organizationId: organization.id,
        actor: joining.email,
        action: 'member.joined',
        targetId: joining.id,
        details: { role, invited_by: invitation.invitedBy },
        occurredAt: joinedAt,
        address: device.address,
      });
    }
    await deleteInvitation(tx, organization.id, invitation.id);
    const session = user ? undefined : await signIn(tx, { user: joining, device, factor: 'link', now: joinedAt });
    // No session is started if the new member has to sign in at the organization's provider.
    const started = session === 'at_provider' ? undefined : session;
    return { kind: 'joined', organizationId: organization.id, session: started };
  });
}
