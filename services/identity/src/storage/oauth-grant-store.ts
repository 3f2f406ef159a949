import type { Transaction } from '@tocsin/database';
import type { Grant, MemberGrant, NamedGrant } from '../domain/oauth/grant.ts';
import type { Tables } from './tables.ts';

type GrantRow = Tables['oauth_grant'];

export async function insertGrant(tx: Transaction, grant: Grant): Promise<void> {
  const { id, organizationId, userId, clientId, clientName, scopes, createdAt, expiresAt } = grant;
  await tx.query(
    `insert into oauth_grant (id, organization_id, user_id, client_id, client_name, scopes, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, organizationId, userId, clientId, clientName, [...scopes], createdAt, expiresAt],
  );
}

/** Locks a membership until the transaction ends, so that it can't be removed. Returns whether it exists. */
export async function lockMembership(
  tx: Transaction,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<boolean> {
  const rows = await tx.query('select from membership where organization_id = $1 and user_id = $2 for share', [
    organizationId,
    userId,
  ]);
  return rows.length > 0;
}

/**
 * Returns the grant with this id from any organization, or undefined if the grant was revoked or its user is no longer
 * a member.
 */
export async function findGrant(tx: Transaction, id: string): Promise<Grant | undefined> {
  const [row] = await tx.query<GrantRow>(
    `select g.* from oauth_grant g
       join membership m on m.organization_id = g.organization_id and m.user_id = g.user_id
     where g.id = $1 and g.revoked_at is null`,
    [id],
  );
  return row && toGrant(row);
}

/** Returns the grants of a user that are neither revoked nor expired, newest first. */
export async function listGrantsOfUser(tx: Transaction, userId: string, now: Date): Promise<NamedGrant[]> {
  const rows = await tx.query<GrantRow & { organization_name: string; is_usable: boolean }>(
    `select g.*, o.name as organization_name, exists (
              select from oauth_artifact a where a.grant_id = g.id and a.expires_at > $2 and a.consumed_at is null
            ) as is_usable
     from oauth_grant g join organization o on o.id = g.organization_id
     where g.user_id = $1 and g.revoked_at is null and g.expires_at > $2 order by g.created_at desc, g.id desc`,
    [userId, now],
  );
  return rows.map((row) => ({
    ...toGrant(row),
    organizationName: row.organization_name,
    isUsable: row.is_usable,
  }));
}

const OF_ORGANIZATION = `select g.*, u.email from oauth_grant g join app_user u on u.id = g.user_id
  where g.organization_id = $1 and g.revoked_at is null`;

/** Returns the newest `limit` grants of an organization that have a valid token or code. */
export async function listGrantsOfOrganization(
  tx: Transaction,
  { organizationId, now, limit }: { organizationId: string; now: Date; limit: number },
): Promise<MemberGrant[]> {
  const rows = await tx.query<GrantRow & { email: string }>(
    `${OF_ORGANIZATION} and g.expires_at > $2 and exists (
       select from oauth_artifact a where a.grant_id = g.id and a.expires_at > $2 and a.consumed_at is null
     ) order by g.created_at desc, g.id desc limit $3`,
    [organizationId, now, limit],
  );
  return rows.map((row) => ({ ...toGrant(row), email: row.email }));
}

/** Returns an organization's grant with this id; undefined if it does not exist or was revoked. */
export async function findGrantOfOrganization(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<MemberGrant | undefined> {
  const [row] = await tx.query<GrantRow & { email: string }>(`${OF_ORGANIZATION} and g.id = $2`, [organizationId, id]);
  return row && { ...toGrant(row), email: row.email };
}

/** Revokes grants and deletes their tokens and codes. Returns the grants that were not revoked before. */
export async function revokeGrants(tx: Transaction, ids: readonly string[], now: Date): Promise<Grant[]> {
  const rows = await tx.query<GrantRow>(
    'update oauth_grant set revoked_at = $2 where id = any($1) and revoked_at is null returning *',
    [[...ids], now],
  );
  await tx.query('delete from oauth_artifact where grant_id = any($1)', [[...ids]]);
  return rows.map(toGrant);
}

/** Returns the ids of the grants that a user has in an organization, without revoked grants. */
export async function listGrantIdsOfMember(
  tx: Transaction,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<string[]> {
  const rows = await tx.query<Pick<GrantRow, 'id'>>(
    'select id from oauth_grant where organization_id = $1 and user_id = $2 and revoked_at is null',
    [organizationId, userId],
  );
  return rows.map(({ id }) => id);
}

/** Returns the user of a grant that is neither revoked nor expired, and locks the grant until the transaction ends. */
export async function lockGrantUser(
  tx: Transaction,
  { organizationId, id, now }: { organizationId: string; id: string; now: Date },
): Promise<string | undefined> {
  const [row] = await tx.query<Pick<GrantRow, 'user_id'>>(
    `select user_id from oauth_grant
     where id = $1 and organization_id = $2 and revoked_at is null and expires_at > $3 for share`,
    [id, organizationId, now],
  );
  return row?.user_id;
}

/** Records a use of a grant, unless another replica has recorded one since the grant was read. */
export async function recordGrantUse(
  tx: Transaction,
  { id, lastUsedAt }: { id: string; lastUsedAt: Date | undefined },
  now: Date,
): Promise<void> {
  await tx.query('update oauth_grant set last_used_at = $2 where id = $1 and last_used_at is not distinct from $3', [
    id,
    now,
    lastUsedAt ?? null,
  ]);
}

/**
 * Deletes up to `limit` grants that were revoked or expired before `endedBefore`, or that are older than `unusedBefore`
 * and have no token. Returns the number of deleted grants.
 */
export async function deleteEndedGrants(
  tx: Transaction,
  { endedBefore, unusedBefore, limit }: { endedBefore: Date; unusedBefore: Date; limit: number },
): Promise<number> {
  const rows = await tx.query(
    `delete from oauth_grant where id in (
       select id from oauth_grant g where least(revoked_at, expires_at) < $1
         or revoked_at is null and created_at < $2
           and not exists (select from oauth_artifact a where a.grant_id = g.id)
       limit $3
     ) returning id`,
    [endedBefore, unusedBefore, limit],
  );
  return rows.length;
}

function toGrant(row: GrantRow): Grant {
  return {
    id: row.id,
    organizationId: row.organization_id,
    userId: row.user_id,
    clientId: row.client_id,
    clientName: row.client_name,
    scopes: row.scopes,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
