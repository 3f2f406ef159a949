import type { Transaction } from '@tocsin/database';
import { dayOf, GRACE_MS } from '../domain/deletion.ts';
import { lastingOwners } from '../domain/member-rules.ts';
import type { Membership } from '../domain/membership.ts';
import type { SignedIn, User } from '../domain/session.ts';
import { insertAudit } from '../storage/audit-store.ts';
import { deleteUserRow, lockDueUser, saveUserDeletion } from '../storage/deletion-store.ts';
import { deleteInvitation, listInvitations } from '../storage/invitation-store.ts';
import { listMembers, listMemberships, lockMembers } from '../storage/membership-store.ts';
import { deleteSessions } from '../storage/session-store.ts';
import { deleteSurplusLinks } from '../storage/sign-in-link-store.ts';
import { insertUserAudit } from './audit-user.ts';
import { auditActor, endGrantsOfUser } from './oauth/grants.ts';
import type { Deps } from './ports.ts';
import { proveUser } from './prove-user.ts';

type DeletionDeps = Pick<Deps, 'database' | 'now' | 'mails' | 'background' | 'passwordChecks'>;

/**
 * Deletes the sessions and sign-in links of a user, and ends the access of programs. The user is deleted after 14 days,
 * unless the user signs in and cancels the deletion. Requires a fresh sign-in or the current password.
 * @returns The problem; undefined if the request was accepted.
 */
export async function requestUserDeletion(
  deps: DeletionDeps,
  signedIn: SignedIn,
  current: string,
): Promise<string | undefined> {
  const unproven = await proveUser(deps, signedIn, current);
  if (unproven) return unproven;
  const { user, session } = signedIn;
  const now = deps.now();
  const deleteAt = new Date(now.getTime() + GRACE_MS);
  const problem = await deps.database.transaction('every organization', async (tx) => {
    const owned = (await ownedAlone(tx, user)).filter(({ organization }) => !organization.deleteAt);
    if (owned.length > 0) {
      const names = owned.map(({ organization }) => organization.name).join(', ');
      return `You are the last owner of ${names}. Make another member an owner, or delete the organization first.`;
    }
    await saveUserDeletion(tx, user.id, deleteAt);
    const entry = { action: 'user.deletion_requested', details: { delete_at: deleteAt.toISOString() } };
    const by = { occurredAt: now, credentialId: session.id, device: session.device };
    await insertUserAudit(tx, user, { ...entry, ...by });
    await endGrantsOfUser(tx, user.id, { by: auditActor(signedIn), reason: 'user_deleted', now });
    await deleteSessions(tx, user.id);
    await deleteSurplusLinks(tx, user.id, 0);
    return undefined;
  });
  if (problem) return problem;
  const change =
    `Your account will be deleted on ${dayOf(deleteAt)}. All browsers were signed out, and the access of programs was ended. ` +
    'To keep the account, sign in before that day and cancel the deletion on the account page.';
  deps.background.run(user.id, 'reporting the deletion of an account', () =>
    deps.mails.credentialChange(user.email, change),
  );
  return undefined;
}

/** Cancels the deletion of a user. */
export async function cancelUserDeletion(
  deps: Pick<DeletionDeps, 'database' | 'now' | 'mails' | 'background'>,
  { user, session }: SignedIn,
): Promise<void> {
  await deps.database.transaction('every organization', async (tx) => {
    await saveUserDeletion(tx, user.id, undefined);
    const entry = { action: 'user.deletion_cancelled', details: {}, occurredAt: deps.now(), credentialId: session.id };
    await insertUserAudit(tx, user, { ...entry, device: session.device });
  });
  deps.background.run(user.id, 'reporting a cancelled deletion', () =>
    deps.mails.credentialChange(user.email, 'The deletion of your account was cancelled.'),
  );
}

/**
 * Deletes a user who is due for deletion. If the user is now the only owner of an organization, postpones the deletion
 * until the organization has another owner or is deleted.
 */
export async function deleteDueUser({ database, now }: Pick<Deps, 'database' | 'now'>): Promise<'again' | 'done'> {
  const time = now();
  return database.transaction('every organization', async (tx) => {
    const user = await lockDueUser(tx, time);
    if (!user) return 'done';
    if ((await ownedAlone(tx, user)).length > 0) {
      await saveUserDeletion(tx, user.id, new Date(time.getTime() + POSTPONED_MS));
      return 'again';
    }
    for (const { organization } of await listMemberships(tx, user.id)) {
      const target = { organizationId: organization.id, targetId: user.id, occurredAt: time };
      for (const { id, invitedBy, email } of await listInvitations(tx, organization.id, time)) {
        if (invitedBy !== user.email) continue;
        await deleteInvitation(tx, organization.id, id);
        const revoked = { action: 'invitation.revoked', details: { email }, actor: user.email };
        await insertAudit(tx, { ...target, ...revoked, targetId: id });
      }
      await insertAudit(tx, { ...target, action: 'user.deleted', details: { email: user.email }, actor: user.email });
    }
    await deleteUserRow(tx, user.id);
    return 'again';
  });
}

/** Milliseconds by which the deletion of an organization's last owner is postponed each time. */
const POSTPONED_MS = 24 * 3_600_000;

/** Returns the organizations that would have no owner without the given user. */
async function ownedAlone(tx: Transaction, user: User): Promise<Membership[]> {
  const owned: Membership[] = [];
  for (const membership of await listMemberships(tx, user.id)) {
    const { organization, role } = membership;
    if (role !== 'owner') continue;
    await lockMembers(tx, organization.id);
    const others = lastingOwners(await listMembers(tx, organization.id)).filter(({ userId }) => userId !== user.id);
    if (others.length === 0) owned.push(membership);
  }
  return owned;
}
