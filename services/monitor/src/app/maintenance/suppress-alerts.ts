import type { Transaction } from '@tocsin/database';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { EvaluatorState } from '../../domain/rounds/evaluate.ts';
import type { Reasons } from '../../domain/rounds/transition.ts';
import { findUnderMaintenance, popHeldAlerts, suppressAlert } from '../../storage/maintenance/maintenance-store.ts';

/** An unpublished state change of a monitor. */
export interface AlertedTransition {
  readonly monitor: Monitor;
  readonly evaluatorState: EvaluatorState;
  readonly reasons: Reasons;
}

/**
 * Returns the state changes, each with a flag `underMaintenance`. The flag is true if no alert may be sent: when a
 * monitor goes down or stale under maintenance, and when a monitor recovers after its alert was suppressed. A
 * suppressed alert is published if it still applies at the end of the maintenance. The caller must have locked the
 * monitors.
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
    // If the alert about the outage was suppressed, the alert about the recovery is suppressed too.
    announced.push({ ...change, underMaintenance: hold || (!isTrouble && held.length > 0) });
  }
  return announced;
}
