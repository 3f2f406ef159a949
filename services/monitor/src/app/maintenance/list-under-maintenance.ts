import { isId } from '@tocsin/text';
import { findUnderMaintenance } from '../../storage/maintenance/maintenance-store.ts';
import type { Deps } from '../ports.ts';

/** Returns those of the given ids that identify monitors of the organization under maintenance. */
export async function listUnderMaintenance(
  { database }: Pick<Deps, 'database'>,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  return database.transaction({ organizationId }, async (tx) => [
    ...(await findUnderMaintenance(tx, ids.filter(isId))),
  ]);
}
