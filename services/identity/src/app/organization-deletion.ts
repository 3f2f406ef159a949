import type { Transaction } from '@tocsin/database';
import { notFound, ServiceError } from '@tocsin/errors';
import { appendEvents, type OrganizationHooks, saveStoppedState } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import { dayOf, GRACE_MS } from '../domain/deletion.ts';
import type { SignedIn } from '../domain/session.ts';
import {
  credentialRevoked,
  organizationDeleted,
  organizationResumed,
  organizationStopped,
} from '../events/outgoing.ts';
import { type AuditEntry, insertAudit } from '../storage/audit-store.ts';
import {
  deleteOrganizationRow,
  findOrganizationDeletion,
  listCredentialIds,
  lockDueOrganization,
  saveOrganizationDeletion,
  separateApiKeys,
} from '../storage/deletion-store.ts';
import { lockMembers } from '../storage/membership-store.ts';
import { findOrganizationName, listOwners } from '../storage/organization-store.ts';
import { actorEntry, type MemberActor, readMembership } from './members.ts';
import type { Deps } from './ports.ts';
import { proveUser } from './prove-user.ts';

type DeletionDeps = Pick<Deps, 'database' | 'now' | 'baseUrl' | 'mails' | 'background' | 'passwordChecks'>;

/**
 * Stops an organization on behalf of an owner, and schedules its deletion in 14 days. Needs the name of the
 * organization, and a fresh sign-in or the current password. The owners get an email.
 * @returns The problem with the input; undefined if the organization was stopped.
 * @throws ServiceError `forbidden` for a user who is not an owner, `not_found` for one who is not a member.
 */
export async function requestOrganizationDeletion(
  deps: DeletionDeps,
  {
    organizationId,
    signedIn,
    name,
    current,
  }: { organizationId: string; signedIn: SignedIn; name: string; current: string },
): Promise<string | undefined> {
  const { organization, role } = await readMembership(deps, organizationId, signedIn.user);
  if (role !== 'owner') throw new ServiceError('forbidden', 'Only an owner deletes the organization.');
  if (name.trim() !== organization.name.trim()) return 'Enter the name of the organization exactly as it is shown.';
  const unproven = await proveUser(deps, signedIn, current);
  if (unproven) return unproven;
  await stopOrganization(deps, organizationId, { kind: 'member', signedIn });
  return undefined;
}

/**
 * Stops an organization, and schedules its deletion in 14 days. If it is stopped already, the time of its deletion does
 * not change.
 * @returns The time of the deletion.
 * @throws ServiceError `not_found` if the organization does not exist.
 */
export async function stopOrganization(
  deps: Pick<DeletionDeps, 'database' | 'now' | 'baseUrl' | 'mails' | 'background'>,
  organizationId: string,
  actor: MemberActor,
): Promise<Date> {
  const now = deps.now();
  const deleteAt = new Date(now.getTime() + GRACE_MS);
  await changeDeletion(deps, { organizationId, actor, deleteAt, now });
  const find = (tx: Transaction) => findOrganizationDeletion(tx, organizationId);
  return (await deps.database.transaction({ organizationId }, find)) ?? deleteAt;
}

/**
 * Cancels the deletion of an organization. From then on, the organization works again. Does nothing if no deletion was
 * requested.
 * @throws ServiceError `forbidden` for a user who is not an owner, `not_found` if the organization does not exist.
 */
export async function cancelOrganizationDeletion(
  deps: Pick<DeletionDeps, 'database' | 'now' | 'baseUrl' | 'mails' | 'background'>,
  organizationId: string,
  actor: MemberActor,
): Promise<void> {
  if (actor.kind === 'member') {
    const { role } = await readMembership(deps, organizationId, actor.signedIn.user);
    if (role !== 'owner') throw new ServiceError('forbidden', 'Only an owner cancels the deletion.');
  }
  await changeDeletion(deps, { organizationId, actor, deleteAt: undefined, now: deps.now() });
}

async function changeDeletion(
  { database, mails, background, baseUrl }: Pick<DeletionDeps, 'database' | 'baseUrl' | 'mails' | 'background'>,
  {
    organizationId,
    actor,
    deleteAt,
    now,
  }: { organizationId: string; actor: MemberActor; deleteAt: Date | undefined; now: Date },
): Promise<void> {
  if (!isId(organizationId)) throw notFound('organization');
  const changed = await database.transaction({ organizationId }, async (tx) => {
    await lockMembers(tx, organizationId);
    const name = await findOrganizationName(tx, organizationId);
    if (name === undefined) throw notFound('organization');
    if (!(await saveOrganizationDeletion(tx, { organizationId, deleteAt, now }))) return undefined;
    const entry: Pick<AuditEntry, 'action' | 'details'> = deleteAt
      ? { action: 'organization.deletion_requested', details: { delete_at: deleteAt.toISOString() } }
      : { action: 'organization.deletion_cancelled', details: {} };
    const target = { organizationId, targetId: organizationId, occurredAt: now };
    await insertAudit(tx, { ...target, ...entry, ...actorEntry(actor) });
    // The events make gateways drop the cached tokens of all credentials, so that the next use of each is checked
    // again.
    const credentials = await listCredentialIds(tx, organizationId);
    await appendEvents(
      tx,
      [
        deleteAt ? organizationStopped(organizationId) : organizationResumed(organizationId),
        ...credentials.map((id) => credentialRevoked(organizationId, id)),
      ],
      now,
    );
    return { name, owners: await listOwners(tx, organizationId) };
  });
  if (!changed) return;
  const { name, owners } = changed;
  const by = actorEntry(actor).actor;
  const notice = deleteAt
    ? `${by} asked to delete ${name}. It is stopped: nothing is checked, no alert is sent, and its pages are not public. ` +
      `It will be deleted on ${dayOf(deleteAt)}. Until then, an owner can cancel this.`
    : `${by} cancelled the deletion of ${name}. It works again.`;
  const url = `${baseUrl}/account/organizations/${organizationId}/settings`;
  for (const { email } of owners) {
    background.run(organizationId, 'reporting the deletion of an organization', () =>
      mails.organizationNotice(email, { organizationName: name, notice, url }),
    );
  }
}

/** Begins to delete an organization that is due for deletion. From then on, the deletion can't be cancelled. */
export async function deleteDueOrganization({
  database,
  now,
}: Pick<Deps, 'database' | 'now'>): Promise<'again' | 'done'> {
  const time = now();
  return database.transaction('every organization', async (tx) => {
    const organizationId = await lockDueOrganization(tx, time);
    if (organizationId === undefined) return 'done';
    await saveStoppedState(tx, { organizationId, state: 'deleting', at: time });
    await appendEvents(tx, [organizationDeleted(organizationId)], time);
    return 'again';
  });
}

/** Steps that identity adds before and after the deletion of an organization's rows. */
export const organizationHooks: OrganizationHooks = {
  deleteFirst: separateApiKeys,
  deleteLast: deleteOrganizationRow,
};
