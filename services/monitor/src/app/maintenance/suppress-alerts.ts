import type { Transaction } from '@tocsin/database';
import { decideSuppression } from '../../domain/maintenance/suppression.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { EvaluatorState } from '../../domain/rounds/evaluate.ts';
import type { Reasons } from '../../domain/rounds/transition.ts';
import {
  deleteHeldAlerts,
  findHeldAlerts,
  findUnderMaintenance,
  type HeldAlert,
  saveHeldAlerts,
} from '../../storage/maintenance/maintenance-store.ts';

/** An unpublished state change of a monitor. */
export interface AlertedTransition {
  readonly monitor: Monitor;
  readonly evaluatorState: EvaluatorState;
  readonly reasons: Reasons;
}

/** What suppressAlerts() needs to know about monitors. */
export interface SuppressionRead {
  /** Ids of the monitors that are under maintenance. */
  readonly maintained: ReadonlySet<string>;
  /** Alerts that were suppressed during a maintenance. */
  readonly held: readonly HeldAlert[];
}

/** Reads what suppressAlerts() needs to know about monitors. The caller must have locked the monitors. */
export async function readSuppression(tx: Transaction, monitorIds: readonly string[]): Promise<SuppressionRead> {
  const [maintained, held] = await Promise.all([findUnderMaintenance(tx, monitorIds), findHeldAlerts(tx, monitorIds)]);
  return { maintained, held };
}

/**
 * Returns the state changes, each with a flag `underMaintenance`. The flag is true if no alert may be sent. A
 * suppressed alert is published if it still applies at the end of the maintenance.
 */
export function suppressAlerts(
  tx: Transaction,
  changes: readonly AlertedTransition[],
  { maintained, held: stored }: SuppressionRead,
): (AlertedTransition & { readonly underMaintenance: boolean })[] {
  const changed = new Set(changes.map(({ monitor }) => monitor.id));
  const before = stored.filter(({ monitorId }) => changed.has(monitorId));
  const heldOf = new Map<string, HeldAlert>(before.map((held) => [held.monitorId, held]));
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
  const ended = before.filter(({ monitorId }) => !heldOf.has(monitorId));
  deleteHeldAlerts(
    tx,
    ended.map(({ monitorId }) => monitorId),
  );
  saveHeldAlerts(tx, [...heldOf.values()]);
  return announced;
}
