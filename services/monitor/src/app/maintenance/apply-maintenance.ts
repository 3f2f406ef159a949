import type { Transaction } from '@tocsin/database';
import { letGoOfMaintenance, saveMaintenance } from '../../storage/maintenance/maintenance-store.ts';
import type { Deps } from '../ports.ts';
import { coverLinked, type MaintenanceChange } from './cover-linked.ts';

/**
 * Records which components a maintenance in progress affects, and which monitors it covers, in the transaction in
 * which the event counts.
 * @throws ServiceError `unavailable` when statuspage can't return the links; nothing is changed then.
 */
export async function applyMaintenance(deps: Deps, tx: Transaction, change: MaintenanceChange): Promise<void> {
  if (change.componentIds.length > 0) await saveMaintenance(tx, change, change.componentIds);
  else await letGoOfMaintenance(tx, change.disruptionId);
  await coverLinked(deps, tx, change);
}
