import type { Transaction } from '@tocsin/database';
import { decideSuppression } from '../../domain/maintenance/suppression.ts';
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
 * Returns the state changes, each with a flag `underMaintenance`. The flag is true if no alert may be sent. A
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
    const { id: monitorId, organizationId } = change.monitor;
    const [before] = await popHeldAlerts(tx, [monitorId]);
    const isMaintained = maintained.has(monitorId);
    const { isSuppressed, held } = decideSuppression(change.evaluatorState, { isMaintained, held: before });
    if (held) await suppressAlert(tx, { ...held, monitorId, organizationId, error: change.reasons.error });
    announced.push({ ...change, underMaintenance: isSuppressed });
  }
  return announced;
}
