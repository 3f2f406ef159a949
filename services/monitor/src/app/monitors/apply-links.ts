import type { Transaction } from '@tocsin/database';
import { lockMaintenances } from '../../storage/maintenance/maintenance-store.ts';
import { coverLinked } from '../maintenance/cover-linked.ts';
import type { Deps } from '../ports.ts';

/**
 * Handles a change to a status page: recalculates the set of monitors that each maintenance in progress of the
 * organization covers. A monitor is covered while it is linked to an affected component. Runs in the transaction that
 * handles the event.
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
