import type { Transaction } from '@tocsin/database';
import { lockMaintenances } from '../../storage/maintenance/maintenance-store.ts';
import { coverLinked } from '../maintenance/cover-linked.ts';
import type { Deps } from '../ports.ts';

/**
 * Updates which monitors an organization's maintenances in progress cover, after one of its status pages has changed. A
 * monitor is covered from the moment it is linked until it is unlinked. Runs in the transaction that handles the event.
 * @throws ServiceError `unavailable` if statuspage can't return the links. The transaction must be rolled back then.
 */
export async function applyLinks(
  deps: Deps,
  tx: Transaction,
  { organizationId, at }: { readonly organizationId: string; readonly at: Date },
): Promise<void> {
  for (const { disruptionId, componentIds } of await lockMaintenances(tx, organizationId)) {
    await coverLinked(deps, tx, { organizationId, disruptionId, componentIds, at });
  }
}
