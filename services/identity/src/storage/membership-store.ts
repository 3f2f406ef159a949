import type { Transaction } from '@tocsin/database';
import type { Membership } from '../domain/membership.ts';
import { isRole, type Role } from '../domain/role.ts';
import type { Tables } from './tables.ts';

/** Returns the organizations of a user by name. The transaction must see every organization. */
export async function listMemberships(tx: Transaction, userId: string): Promise<Membership[]> {
  const rows = await tx.query<Pick<Tables['membership'], 'role'> & Pick<Tables['organization'], 'id' | 'name'>>(
    `select o.id, o.name, m.role from membership m join organization o on o.id = m.organization_id
     where m.user_id = $1 order by lower(o.name), o.id`,
    [userId],
  );
  return rows.map(({ id, name, role }) => ({ organization: { id, name }, role: toRole(role) }));
}

/** @throws Error for a text that is no role, which the database does not allow. */
function toRole(text: string): Role {
  if (!isRole(text)) throw new Error(`${text} is not a role`);
  return text;
}
