import type { Transaction } from '@tocsin/database';
import { decideSuppression } from '../../domain/maintenance/suppression.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { EvaluatorState } from '../../domain/rounds/evaluate.ts';
import type { Reasons } from '../../domain/rounds/transition.ts';
import {
  findUnderMaintenance,
  type HeldAlert,
  popHeldAlerts,
  saveHeldAlerts,
} from '../../storage/maintenance/maintenance-store.ts';

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
  const ids = [...new Set(changes.map(({ monitor }) => monitor.id))];
  const [maintained, popped] = await Promise.all([findUnderMaintenance(tx, ids), popHeldAlerts(tx, ids)]);
  const heldOf = new Map<string, HeldAlert>(popped.map((held) => [held.monitorId, held]));
  const announced = changes.map((change) => {
    const { id: monitorId, organizationId } = change.monitor;
    const isMaintained = maintained.has(monitorId);
    const { isSuppressed, held } = decideSuppression(change.evaluatorState, {
      isMaintained,
      held: heldOf.get(monitorId),
    });
    if (held) heldOf.set(monitorId, { ...held, monitorId, organizationId, error: change.reasons.error });
    else heldOf.delete(monitorId);
    return { ...change, underMaintenance: isSuppressed };
  });
  saveHeldAlerts(tx, [...heldOf.values()]);
  return announced;
}
