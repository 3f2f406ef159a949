import { type Owner, listOwners as readOwners } from '../storage/organization-store.ts';
import type { Deps } from './ports.ts';

/** Returns the owners of an organization, oldest membership first. */
export async function listOwners({ database }: Deps, organizationId: string): Promise<Owner[]> {
  return database.transaction({ organizationId }, (tx) => readOwners(tx, organizationId));
}
