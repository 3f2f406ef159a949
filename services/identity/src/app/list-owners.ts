import { findOrganizationDeletion } from '../storage/deletion-store.ts';
import { findOrganizationName, type Owner, listOwners as readOwners } from '../storage/organization-store.ts';
import type { Deps } from './ports.ts';

/**
 * Returns the name and the owners of an organization. The owner with the oldest membership is first. Returns no owners
 * while the organization is stopped, so that no owner gets notifications about it.
 */
export async function listOwners(
  { database }: Deps,
  organizationId: string,
): Promise<{ readonly owners: readonly Owner[]; readonly organizationName: string }> {
  return database.transaction({ organizationId }, async (tx) => ({
    owners: (await findOrganizationDeletion(tx, organizationId)) ? [] : await readOwners(tx, organizationId),
    organizationName: (await findOrganizationName(tx, organizationId)) ?? '',
  }));
}
