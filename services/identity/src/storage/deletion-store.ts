import type { Transaction } from '@tocsin/database';
import type { User } from '../domain/session.ts';

/** Sets or removes the time at which an organization is deleted. Returns whether the time was changed. */
export async function saveOrganizationDeletion(
  tx: Transaction,
  { organizationId, deleteAt, now }: { organizationId: string; deleteAt: Date | undefined; now: Date },
): Promise<boolean> {
  // A deletion that is due can no longer be canceled, because some of the organization's rows may already be deleted.
  const rows = await tx.query(
    `update organization set delete_at = $2 where id = $1
       and case when $2::timestamptz is null then delete_at > $3 else delete_at is null end returning id`,
    [organizationId, deleteAt ?? null, now],
  );
  return rows.length > 0;
}

/** Returns the time at which an organization is deleted; undefined if no deletion was requested. */
export async function findOrganizationDeletion(tx: Transaction, organizationId: string): Promise<Date | undefined> {
  const [row] = await tx.query<{ delete_at: Date | null }>('select delete_at from organization where id = $1', [
    organizationId,
  ]);
  return row?.delete_at ?? undefined;
}

/** SQL expression for the time at which lockDueOrganization() may find an organization. */
export const ORGANIZATION_DELETION_DUE = '(select min(delete_at) from organization)';

/**
 * Returns the id of an organization that is due for deletion and whose deletion has not begun. Locks the organization
 * until the transaction ends.
 */
export async function lockDueOrganization(tx: Transaction, now: Date): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(
    `select id from organization o where delete_at <= $1
       and not exists (select from stopped_organization s where s.organization_id = o.id)
     order by delete_at limit 1 for update skip locked`,
    [now],
  );
  return row?.id;
}

export async function deleteOrganizationRow(tx: Transaction, organizationId: string): Promise<void> {
  await tx.query('delete from organization where id = $1', [organizationId]);
}

/**
 * Clears `created_by_key_id` in all API keys of an organization, so that the keys can be deleted in any order. Returns
 * the number of changed keys.
 */
export async function separateApiKeys(tx: Transaction, organizationId: string): Promise<number> {
  const rows = await tx.query(
    `update api_key set created_by_key_id = null where organization_id = $1 and created_by_key_id is not null
     returning id`,
    [organizationId],
  );
  return rows.length;
}

/** Returns the ids of an organization's API keys and OAuth grants that are not revoked. */
export async function listCredentialIds(tx: Transaction, organizationId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from api_key where organization_id = $1 and revoked_at is null
     union all select id from oauth_grant where organization_id = $1 and revoked_at is null`,
    [organizationId],
  );
  return rows.map(({ id }) => id);
}

/** Sets or removes the time at which a user is deleted. */
export async function saveUserDeletion(tx: Transaction, userId: string, deleteAt: Date | undefined): Promise<void> {
  await tx.query('update app_user set delete_at = $2 where id = $1', [userId, deleteAt ?? null]);
}

/** Returns the time at which a user is deleted; undefined if no deletion was requested. */
export async function findUserDeletion(tx: Transaction, userId: string): Promise<Date | undefined> {
  const [row] = await tx.query<{ delete_at: Date | null }>('select delete_at from app_user where id = $1', [userId]);
  return row?.delete_at ?? undefined;
}

/** SQL expression for the time at which lockDueUser() finds a user. */
export const USER_DELETION_DUE = '(select min(delete_at) from app_user)';

/** Returns a user who is due for deletion, and locks the user until the transaction ends. */
export async function lockDueUser(tx: Transaction, now: Date): Promise<User | undefined> {
  const [row] = await tx.query<{ id: string; email: string }>(
    `select id, email from app_user where delete_at <= $1 order by delete_at limit 1 for update skip locked`,
    [now],
  );
  return row;
}

/**
 * Deletes a user with everything that belongs only to the user. Each API key of the user is transferred to an owner of
 * the key's organization: the owner with the oldest membership.
 */
export async function deleteUserRow(tx: Transaction, userId: string): Promise<void> {
  await tx.query('delete from membership where user_id = $1', [userId]);
  await tx.query(
    `update api_key k set user_id = (
       select m.user_id from membership m where m.organization_id = k.organization_id and m.role = 'owner'
       order by m.created_at, m.user_id limit 1
     ) where k.user_id = $1`,
    [userId],
  );
  await tx.query('delete from app_user where id = $1', [userId]);
}
