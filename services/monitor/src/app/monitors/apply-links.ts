import type { Transaction } from '@tocsin/database';
import { lockMaintenances } from '../../storage/maintenance/maintenance-store.ts';
import { coverLinked } from '../maintenance/cover-linked.ts';
import type { Deps } from '../ports.ts';

/**
 * Lets each maintenance of an organization that is in progress follow a change of its pages, inside the transaction in
 * which the event counts: a monitor that is linked in the middle of one is covered from then on, one that no longer is
 * linked is not.
 * @throws ServiceError `unavailable` when statuspage can't return the links; nothing is changed then.
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
