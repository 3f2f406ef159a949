import type { Database, Transaction } from '@tocsin/database';
import { notFound, ServiceError } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { isId } from '@tocsin/text';
import { v7 } from 'uuid';
import { managesMembers, mayGrantRole } from '../../domain/member-rules.ts';
import type { Membership } from '../../domain/membership.ts';
import {
  GRANT_MS,
  type Grant,
  MAX_GRANTS,
  MAX_SHOWN_GRANTS,
  type MemberGrant,
  type NamedGrant,
  type RevocationReason,
} from '../../domain/oauth/grant.ts';
import { compact } from '../../domain/oauth/scope.ts';
import type { SignedIn } from '../../domain/session.ts';
import { credentialRevoked } from '../../events/outgoing.ts';
import { type AuditEntry, insertAudit } from '../../storage/audit-store.ts';
import { findMembership, listMemberships } from '../../storage/membership-store.ts';
import { recordClientUse } from '../../storage/oauth-client-store.ts';
import {
  findGrantOfOrganization,
  insertGrant,
  listGrantIdsOfMember,
  listGrantsOfOrganization,
  listGrantsOfUser,
  lockMembership,
  revokeGrants,
} from '../../storage/oauth-grant-store.ts';
import type { Deps } from '../ports.ts';

export interface GrantDeps {
  readonly database: Database;
  readonly now: () => Date;
}

/** Dependencies of use cases that notify users of changes to their grants. */
export type ReportingDeps = GrantDeps & Pick<Deps, 'mails' | 'background'>;

/** A user's decision to give a client access to an organization. */
export interface Approval {
  readonly signedIn: SignedIn;
  readonly organization: Membership['organization'];
  readonly client: { readonly id: string; readonly name: string };
  readonly scopes: readonly string[];
}

/**
 * Inserts a grant and returns it. If the user then has more than MAX_GRANTS grants, revokes the oldest ones. These may
 * belong to other organizations, so the transaction must see every organization.
 * @throws ServiceError `forbidden` if the user is no longer a member of the organization.
 */
export async function createGrant(tx: Transaction, approval: Approval, createdAt: Date): Promise<Grant> {
  const { signedIn, organization, client } = approval;
  const { user } = signedIn;
  const { id: organizationId } = organization;
  const grant: Grant = {
    id: v7(),
    organizationId,
    userId: user.id,
    clientId: client.id,
    clientName: client.name,
    scopes: compact(approval.scopes),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + GRANT_MS),
    lastUsedAt: undefined,
  };
  // This lock serializes the transaction with a concurrent removal of the member. If the removal has committed, there
  // is no membership to lock. Otherwise the removal waits, and then revokes the grant.
  if (!(await lockMembership(tx, grant))) throw new ServiceError('forbidden', 'you are not a member any more');
  await insertGrant(tx, grant);
  await recordClientUse(tx, client.id, createdAt);
  await insertAudit(tx, {
    organizationId,
    ...auditActor(signedIn),
    action: 'oauth_grant.created',
    targetId: grant.id,
    details: { client_id: client.id, client_name: client.name, permissions: grant.scopes },
    occurredAt: createdAt,
  });
  const surplus = (await listGrantsOfUser(tx, user.id, createdAt)).slice(MAX_GRANTS).map(({ id }) => id);
  await endGrants(tx, surplus, { by: auditActor(signedIn), reason: 'replaced', now: createdAt });
  return grant;
}

/** Inserts a grant for an authorization request, reports it to the user by mail, and returns it. */
export async function approveAccess(deps: ReportingDeps, approval: Approval): Promise<Grant> {
  const { database, now } = deps;
  const grant = await database.transaction('every organization', (tx) => createGrant(tx, approval, now()));
  reportAccess(deps, approval);
  return grant;
}

/**
 * Notifies a user by mail that a client was given access, because someone else may have approved it in the user's name.
 */
export function reportAccess({ mails, background }: ReportingDeps, { signedIn, organization, client }: Approval): void {
  const { id, email } = signedIn.user;
  const change =
    `The program “${client.name}” was given access to ${organization.name} in your name. ` +
    'You can end its access on the page “Programs” of your account.';
  background.run(id, 'reporting the access of a program', () => mails.credentialChange(email, change));
}

type AuditActor = Pick<AuditEntry, 'actor' | 'address' | 'credentialId'>;

export function auditActor({ user, session }: SignedIn): AuditActor {
  return { actor: user.email, address: session.device.address, credentialId: session.id };
}

interface Revocation {
  /** Actor in the audit log. Defaults to the client of the grant. */
  readonly by?: AuditActor;
  readonly reason: RevocationReason;
  readonly now: Date;
}

/**
 * Revokes grants with all their tokens and codes. Skips grants that are already revoked. Returns the number of
 * revoked grants. The transaction must see all organizations that the grants belong to.
 */
export async function endGrants(
  tx: Transaction,
  ids: readonly string[],
  { by, reason, now }: Revocation,
): Promise<number> {
  if (ids.length === 0) return 0;
  const revoked = await revokeGrants(tx, ids, now);
  for (const { id, organizationId, clientId, clientName } of revoked) {
    await insertAudit(tx, {
      organizationId,
      ...(by ?? { actor: `oauth_client:${clientId}`, credentialId: id }),
      action: 'oauth_grant.revoked',
      targetId: id,
      details: { client_id: clientId, client_name: clientName, reason },
      occurredAt: now,
    });
  }
  await appendEvents(
    tx,
    revoked.map(({ organizationId, id }) => credentialRevoked(organizationId, id)),
    now,
  );
  return revoked.length;
}

/** Returns a user's grants, newest first. Omits a grant if its client has no valid token or code. */
export async function listGrants({ database, now }: GrantDeps, userId: string): Promise<NamedGrant[]> {
  const grants = await database.transaction('every organization', (tx) => listGrantsOfUser(tx, userId, now()));
  return grants.filter(({ isUsable }) => isUsable);
}

/** Revokes a grant of a user. Does nothing if the user has no grant with this id. */
export async function endGrantOfUser({ database, now }: GrantDeps, signedIn: SignedIn, id: string): Promise<void> {
  await database.transaction('every organization', async (tx) => {
    const own = (await listGrantsOfUser(tx, signedIn.user.id, now())).filter((grant) => grant.id === id);
    const revocation = { by: auditActor(signedIn), reason: 'revoked_by_user', now: now() } as const;
    await endGrants(
      tx,
      own.map((grant) => grant.id),
      revocation,
    );
  });
}

/** Revokes all grants of a user in all organizations. Returns the number of these grants that were still usable. */
export async function endGrantsOfUser(
  tx: Transaction,
  userId: string,
  revocation: Required<Revocation>,
): Promise<number> {
  const grants = await listGrantsOfUser(tx, userId, revocation.now);
  const ids = grants.map(({ id }) => id);
  await endGrants(tx, ids, revocation);
  return grants.filter(({ isUsable }) => isUsable).length;
}

/** Returns the newest grants of an organization's members. Omits a grant if its client has no valid token or code. */
export async function listGrantsOfMembers(
  { database, now }: GrantDeps,
  organizationId: string,
): Promise<MemberGrant[]> {
  return database.transaction({ organizationId }, (tx) =>
    listGrantsOfOrganization(tx, { organizationId, now: now(), limit: MAX_SHOWN_GRANTS }),
  );
}

/**
 * Revokes a grant of a member on behalf of an owner or admin, and reports it to the member by mail. Does nothing if the
 * organization has no grant with this id.
 * @throws ServiceError `forbidden` if the role of the signed-in member does not allow it, `not_found` if the user is no
 * longer a member.
 */
export async function endGrantOfMember(
  deps: ReportingDeps,
  { organizationId, signedIn, id }: { organizationId: string; signedIn: SignedIn; id: string },
): Promise<void> {
  if (!isId(id)) return;
  const { database, now, mails, background } = deps;
  const ended = await database.transaction({ organizationId }, async (tx) => {
    const grant = await findGrantOfOrganization(tx, organizationId, id);
    const owner = grant && (await findMembership(tx, organizationId, grant.userId));
    const actor = await findMembership(tx, organizationId, signedIn.user.id);
    if (!actor) throw notFound('organization');
    if (!managesMembers(actor.role)) throw new ServiceError('forbidden', 'Only owners and admins manage members.');
    if (!grant || !owner) return undefined;
    if (grant.userId !== signedIn.user.id && !mayGrantRole(actor.role, owner.role)) {
      throw new ServiceError('forbidden', 'Only an owner ends the access of programs of an owner.');
    }
    const reason = grant.userId === signedIn.user.id ? 'revoked_by_user' : 'revoked_by_manager';
    const revoked = await endGrants(tx, [id], { by: auditActor(signedIn), reason, now: now() });
    return revoked > 0 && grant.userId !== signedIn.user.id ? { grant, ...actor.organization } : undefined;
  });
  if (!ended) return;
  const change = `${signedIn.user.email} ended the access of the program “${ended.grant.clientName}” to ${ended.name}.`;
  background.run(organizationId, 'reporting an ended access', () => mails.credentialChange(ended.grant.email, change));
}

/** Revokes all grants of a user in an organization, because the membership has ended. */
export async function endGrantsOfMember(
  tx: Transaction,
  member: { organizationId: string; userId: string },
  { actor, now }: { actor: string; now: Date },
): Promise<void> {
  await endGrants(tx, await listGrantIdsOfMember(tx, member), { by: { actor }, reason: 'membership_ended', now });
}

/**
 * Returns the organizations to which a user can give access, sorted by name. Omits organizations that will be deleted.
 */
export async function listMembershipsOf(
  { database }: Pick<GrantDeps, 'database'>,
  userId: string,
): Promise<Membership[]> {
  const memberships = await database.transaction('every organization', (tx) => listMemberships(tx, userId));
  return memberships.filter(({ organization }) => organization.deleteAt === undefined);
}
