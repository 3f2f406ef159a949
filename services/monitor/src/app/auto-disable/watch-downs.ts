import type { Transaction } from '@tocsin/database';
import { nextDownStep, startDownWatch } from '../../domain/auto-disable/auto-disable.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { EvaluatorState } from '../../domain/rounds/evaluate.ts';
import {
  deleteDownWatches,
  findDownWatches,
  findLongDown,
  saveDownWatches,
} from '../../storage/auto-disable/auto-disable-store.ts';
import { findMonitorsOfAll, lockToDecide } from '../../storage/monitors/monitor-store.ts';
import type { Deps } from '../ports.ts';
import { disableMonitor, warnOfDisabling } from './disable-monitor.ts';

/** Maximum number of monitors in one transaction. */
const LIMIT = 100;

/**
 * Starts a down watch (the timer of auto-disable) for each monitor whose newest state in `entered` is down. Deletes the
 * watches of the other monitors in `entered`. The states in `entered` must be in chronological order.
 */
export function watchDowns(
  tx: Transaction,
  entered: readonly { readonly monitor: Monitor; readonly evaluatorState: EvaluatorState }[],
): void {
  const last = [...new Map(entered.map((entry) => [entry.monitor.id, entry])).values()];
  deleteDownWatches(
    tx,
    last.filter(({ evaluatorState }) => evaluatorState.state !== 'down').map(({ monitor }) => monitor.id),
  );
  saveDownWatches(
    tx,
    last
      .filter(({ evaluatorState }) => evaluatorState.state === 'down')
      .map(({ monitor: { id: monitorId, organizationId }, evaluatorState }) => ({
        monitorId,
        organizationId,
        watch: startDownWatch(evaluatorState.enteredAt),
      })),
  );
}

/**
 * Warns the owners of monitors that have been down for a day, and disables monitors that have been down for two days.
 */
export async function endLongDowns(deps: Deps): Promise<'again' | 'done'> {
  const { database } = deps;
  const due = await database.transaction('every organization', (tx) => findLongDown(tx, deps.now(), LIMIT));
  if (due.length === 0) return 'done';
  await database.transaction('every organization', async (tx) => {
    const locked = await lockToDecide(tx, due);
    const now = deps.now();
    const watches = await findDownWatches(tx, due);
    const monitors = await findMonitorsOfAll(
      tx,
      locked.map(({ id }) => id),
    );
    for (const monitor of monitors) {
      const watch = watches.get(monitor.id);
      // Since findLongDown(), the monitor has recovered or has been disabled.
      if (!watch) continue;
      const step = nextDownStep(watch, now);
      const cause = { reason: 'down_too_long', downSince: watch.downSince } as const;
      if (step.kind === 'disable') await disableMonitor(tx, monitor, cause, now);
      if (step.kind !== 'warn') continue;
      const { id: monitorId, organizationId } = monitor;
      saveDownWatches(tx, [{ monitorId, organizationId, watch: step.watch }]);
      await warnOfDisabling(tx, monitor, { ...cause, disableAt: step.disableAt }, now);
    }
  });
  return due.length === LIMIT ? 'again' : 'done';
}
