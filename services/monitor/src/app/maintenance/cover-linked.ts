import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import { alertDue } from '../../events/outgoing.ts';
import {
  beginMaintenance,
  endMaintenance,
  findMaintained,
  findUnderMaintenance,
  type MaintenanceMoment,
  popHeldAlerts,
} from '../../storage/maintenance/maintenance-store.ts';
import { findMonitorsOfAll, lockMonitors } from '../../storage/monitors/monitor-store.ts';
import { findEvaluatorStates } from '../../storage/rounds/evaluator-state-store.ts';
import { announceHours } from '../../storage/rounds/result-store.ts';
import type { Deps } from '../ports.ts';

export interface MaintenanceChange extends MaintenanceMoment {
  /** Components that the maintenance affects; empty while it is not in progress. */
  readonly componentIds: readonly string[];
}

/**
 * Updates a maintenance so that it covers exactly the monitors that are currently linked to its components. Publishes
 * the suppressed alerts of monitors that are no longer under any maintenance. The caller must lock the maintenance
 * first, so that no other transaction changes its coverage at the same time.
 * @throws ServiceError `unavailable` if statuspage can't return the links. The caller must then roll the transaction
 * back.
 */
export async function coverLinked(deps: Deps, tx: Transaction, change: MaintenanceChange): Promise<void> {
  const { organizationId, disruptionId, componentIds, at } = change;
  const linked = componentIds.length > 0 ? await deps.components.monitorsOf(organizationId, componentIds) : [];
  const covered = await findMaintained(tx, disruptionId);
  const begun = linked.filter((id) => !covered.includes(id));
  const ended = covered.filter((id) => !linked.includes(id));
  if (begun.length + ended.length === 0) return;
  // The lock ensures that each state change of these monitors happens entirely before or entirely after the change of
  // coverage.
  await lockMonitors(tx, [...begun, ...ended]);
  await beginMaintenance(tx, change, begun);
  await endMaintenance(tx, change, ended);
  await announceHours(tx, [...begun, ...ended], at);
  await releaseAlerts(tx, ended, deps.now());
}

async function releaseAlerts(tx: Transaction, monitorIds: readonly string[], now: Date): Promise<void> {
  const still = await findUnderMaintenance(tx, monitorIds);
  const held = await popHeldAlerts(
    tx,
    monitorIds.filter((id) => !still.has(id)),
  );
  if (held.length === 0) return;
  const ids = held.map(({ monitorId }) => monitorId);
  const errors = new Map(held.map(({ monitorId, error }) => [monitorId, error]));
  const evaluatorStates = await findEvaluatorStates(tx, ids);
  const events = (await findMonitorsOfAll(tx, ids)).flatMap((monitor) => {
    const evaluatorState = evaluatorStates.get(monitor.id);
    return evaluatorState ? [alertDue(monitor, evaluatorState, errors.get(monitor.id) ?? '')] : [];
  });
  await appendEvents(tx, events, now);
}
