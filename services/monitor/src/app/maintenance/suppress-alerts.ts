import type { Transaction } from '@tocsin/database';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { EvaluatorState } from '../../domain/rounds/evaluate.ts';
import type { Reasons } from '../../domain/rounds/transition.ts';
import { findUnderMaintenance, popHeldAlerts, suppressAlert } from '../../storage/maintenance/maintenance-store.ts';

/** A change of state of a monitor, as it is published. */
export interface AlertedTransition {
  readonly monitor: Monitor;
  readonly evaluatorState: EvaluatorState;
  readonly reasons: Reasons;
}

/**
 * Returns the changes without alerts: of a monitor that goes down or stale under maintenance, and of the recovery
 * from that. What is held is let go when the maintenance ends. The caller holds the locks of the monitors.
 */
export async function suppressAlerts(
  tx: Transaction,
  changes: readonly AlertedTransition[],
): Promise<(AlertedTransition & { readonly underMaintenance: boolean })[]> {
  const maintained = await findUnderMaintenance(
    tx,
    changes.map(({ monitor }) => monitor.id),
  );
  const announced: (AlertedTransition & { underMaintenance: boolean })[] = [];
  for (const change of changes) {
    const { monitor, evaluatorState, reasons } = change;
    const held = await popHeldAlerts(tx, [monitor.id]);
    const isTrouble = evaluatorState.state === 'down' || evaluatorState.state === 'stale';
    const hold = isTrouble && maintained.has(monitor.id);
    if (hold)
      await suppressAlert(tx, { monitorId: monitor.id, organizationId: monitor.organizationId, error: reasons.error });
    // If the down alert was suppressed, the recovery alert is suppressed too.
    announced.push({ ...change, underMaintenance: hold || (!isTrouble && held.length > 0) });
  }
  return announced;
}
