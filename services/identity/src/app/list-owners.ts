import { findOrganizationName, type Owner, listOwners as readOwners } from '../storage/organization-store.ts';
import type { Deps } from './ports.ts';

/** Returns the name and the owners of an organization. The owner with the oldest membership is first. */
export async function listOwners(
  { database }: Deps,
  organizationId: string,
): Promise<{ readonly owners: readonly Owner[]; readonly organizationName: string }> {
  return database.transaction({ organizationId }, async (tx) => ({
    owners: await readOwners(tx, organizationId),
    organizationName: (await findOrganizationName(tx, organizationId)) ?? '',
  }));
}
