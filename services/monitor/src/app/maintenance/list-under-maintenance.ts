import { isId } from '@tocsin/text';
import { findUnderMaintenance } from '../../storage/maintenance/maintenance-store.ts';
import type { Deps } from '../ports.ts';

/** Returns which of `ids` are ids of the organization's monitors that are under maintenance. */
export async function listUnderMaintenance(
  { database }: Pick<Deps, 'database'>,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  return database.transaction({ organizationId }, async (tx) => [
    ...(await findUnderMaintenance(tx, ids.filter(isId))),
  ]);
}
