import type { Transaction } from '@tocsin/database';
import type { Member } from '../domain/member-rules.ts';
import type { Membership } from '../domain/membership.ts';
import { isRole, type Role } from '../domain/role.ts';
import type { Tables } from './tables.ts';

type MembershipRow = Pick<Tables['membership'], 'role'> & Pick<Tables['organization'], 'id' | 'name' | 'delete_at'>;

function toMembership({ id, name, delete_at: deleteAt, role }: MembershipRow): Membership {
  return { organization: { id, name, deleteAt: deleteAt ?? undefined }, role: toRole(role) };
}

/** Returns the organizations of a user, sorted by name. The transaction must see every organization. */
export async function listMemberships(tx: Transaction, userId: string): Promise<Membership[]> {
  const rows = await tx.query<MembershipRow>(
    `select o.id, o.name, o.delete_at, m.role from membership m join organization o on o.id = m.organization_id
     where m.user_id = $1 order by lower(o.name), o.id`,
    [userId],
  );
  return rows.map(toMembership);
}

/** Returns the members of an organization, the oldest membership first. */
export async function listMembers(tx: Transaction, organizationId: string): Promise<Member[]> {
  const rows = await tx.query<
    Pick<Tables['membership'], 'user_id' | 'role' | 'created_at'> & Pick<Tables['app_user'], 'email' | 'delete_at'>
  >(
    `select m.user_id, m.role, m.created_at, u.email, u.delete_at from membership m join app_user u on u.id = m.user_id
     where m.organization_id = $1 order by m.created_at, u.id`,
    [organizationId],
  );
  return rows.map((row) => ({
    userId: row.user_id,
    email: row.email,
    role: toRole(row.role),
    since: row.created_at,
    deleteAt: row.delete_at ?? undefined,
  }));
}

/** Returns a user's membership; undefined if the user is not a member. */
export async function findMembership(
  tx: Transaction,
  organizationId: string,
  userId: string,
): Promise<Membership | undefined> {
  const [row] = await tx.query<MembershipRow>(
    `select o.id, o.name, o.delete_at, m.role from membership m join organization o on o.id = m.organization_id
     where m.organization_id = $1 and m.user_id = $2`,
    [organizationId, userId],
  );
  return row && toMembership(row);
}

/**
 * Locks the members of an organization until the transaction ends, so that changes to them are checked and made one at
 * a time.
 */
export async function lockMembers(tx: Transaction, organizationId: string): Promise<void> {
  await tx.query('select from organization where id = $1 for no key update', [organizationId]);
}

/** Inserts a membership, or changes its role if the user is a member already. */
export async function saveMembership(
  tx: Transaction,
  { organizationId, userId, role, createdAt }: { organizationId: string; userId: string; role: Role; createdAt: Date },
): Promise<void> {
  await tx.query(
    `insert into membership (organization_id, user_id, role, created_at) values ($1, $2, $3, $4)
     on conflict (organization_id, user_id) do update set role = excluded.role`,
    [organizationId, userId, role, createdAt],
  );
}

export async function deleteMembership(tx: Transaction, organizationId: string, userId: string): Promise<void> {
  await tx.query('delete from membership where organization_id = $1 and user_id = $2', [organizationId, userId]);
}

/** @throws Error if the text is not a role. A database constraint prevents such a text. */
export function toRole(text: string): Role {
  if (!isRole(text)) throw new Error(`${text} is not a role`);
  return text;
}
