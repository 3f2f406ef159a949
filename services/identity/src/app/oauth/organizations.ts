import type { Database } from '@tocsin/database';
import { isRole, type Role } from '../../domain/role.ts';
import { listMemberships } from '../../storage/oauth-grant-store.ts';

/** An organization of a user. */
export interface OwnOrganization {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** Returns the organizations of which a user is a member, by name. */
export async function listOwnOrganizations(
  { database }: { database: Database },
  userId: string,
): Promise<OwnOrganization[]> {
  const rows = await database.transaction('every organization', (tx) => listMemberships(tx, userId));
  return rows.flatMap(({ role, ...organization }) => (isRole(role) ? { ...organization, role } : []));
}
