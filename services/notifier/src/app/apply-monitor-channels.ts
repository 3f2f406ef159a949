import type { Transaction } from '@tocsin/database';
import {
  deleteWatchedMonitor,
  type MonitorOf,
  saveWatchedMonitors,
  type WatchedMonitor,
} from '../storage/watched-monitor-store.ts';

export type { WatchedMonitor };

/**
 * Records the channels of different monitors for the weekly digest. For a monitor without channels, also records since
 * when it has had none.
 */
export function applyMonitorChannels(
  tx: Transaction,
  organizationId: string,
  monitors: readonly WatchedMonitor[],
): void {
  saveWatchedMonitors(tx, organizationId, monitors);
}

/** Removes the record of a monitor that was deleted. */
export async function forgetMonitorChannels(tx: Transaction, monitor: MonitorOf): Promise<void> {
  await deleteWatchedMonitor(tx, monitor);
}
