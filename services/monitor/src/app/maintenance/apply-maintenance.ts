import type { Transaction } from '@tocsin/database';
import { letGoOfMaintenance, saveMaintenance } from '../../storage/maintenance/maintenance-store.ts';
import type { Deps } from '../ports.ts';
import { coverLinked, type MaintenanceChange } from './cover-linked.ts';

/**
 * Saves which components a maintenance affects, and which monitors it covers while it is in progress. Runs in the
 * transaction that handles the event.
 * @throws ServiceError `unavailable` if the statuspage service can't return the monitors that are linked to the
 * components. The caller must then roll the transaction back.
 */
export async function applyMaintenance(deps: Deps, tx: Transaction, change: MaintenanceChange): Promise<void> {
  if (change.componentIds.length > 0) await saveMaintenance(tx, change, change.componentIds);
  else await letGoOfMaintenance(tx, change.disruptionId);
  await coverLinked(deps, tx, change);
}
