import { type Owner, listOwners as readOwners } from '../storage/organization-store.ts';
import type { Deps } from './ports.ts';

/** Owners of an organization, the one of longest standing first. */
export async function listOwners({ database }: Deps, organizationId: string): Promise<Owner[]> {
  return database.transaction({ organizationId }, (tx) => readOwners(tx, organizationId));
}
