import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { type Change, transitionTo } from '../../domain/rounds/transition.ts';
import { stateChanged } from '../../events/outgoing.ts';
import { findMonitorsOfAll } from '../../storage/monitors/monitor-store.ts';
import { insertTransitions } from '../../storage/rounds/transition-store.ts';
import { watchDowns } from '../auto-disable/watch-downs.ts';
import { readSuppression, type SuppressionRead, suppressAlerts } from '../maintenance/suppress-alerts.ts';

/** State changes of a monitor, in chronological order. */
export interface ChangesOfMonitor {
  readonly monitorId: string;
  readonly changes: readonly Change[];
}

/** What publishStateChanges() needs to know about monitors. */
export interface ChangingRead {
  readonly ids: ReadonlySet<string>;
  readonly monitors: readonly Monitor[];
  readonly suppression: SuppressionRead;
}

/**
 * Reads what publishStateChanges() needs to know about monitors, of which some may not change. The caller must have
 * locked them.
 */
export async function readChanging(tx: Transaction, ids: readonly string[]): Promise<ChangingRead> {
  const [monitors, suppression] = await Promise.all([findMonitorsOfAll(tx, ids), readSuppression(tx, ids)]);
  return { ids: new Set(ids), monitors, suppression };
}

/**
 * Publishes state changes: appends an event for each change, and records the change in the history. Also updates the
 * records of how long monitors have been down, which decide when a monitor is disabled automatically. `known` was read
 * before, and is read again if it lacks a changed monitor.
 */
export async function publishStateChanges(
  tx: Transaction,
  all: readonly ChangesOfMonitor[],
  now: Date,
  known?: ChangingRead,
): Promise<void> {
  const changed = all.filter(({ changes }) => changes.length > 0);
  if (changed.length === 0) return;
  const ids = changed.map(({ monitorId }) => monitorId);
  const isKnown = known && ids.every((id) => known.ids.has(id));
  const { monitors, suppression } = isKnown ? known : await readChanging(tx, ids);
  const changesOf = new Map(changed.map(({ monitorId, changes }) => [monitorId, changes]));
  const announced = suppressAlerts(
    tx,
    monitors.flatMap((monitor) =>
      (changesOf.get(monitor.id) ?? []).map(({ evaluatorState, ...reasons }) => ({ monitor, evaluatorState, reasons })),
    ),
    suppression,
  );
  await appendEvents(
    tx,
    announced.map(({ monitor, evaluatorState, reasons, underMaintenance }) =>
      stateChanged(monitor, evaluatorState, { ...reasons, underMaintenance }),
    ),
    now,
  );
  insertTransitions(
    tx,
    announced.map(({ monitor: { id: monitorId, organizationId }, evaluatorState, reasons }) => ({
      monitorId,
      organizationId,
      ...transitionTo(evaluatorState, reasons),
    })),
  );
  watchDowns(tx, announced);
}
