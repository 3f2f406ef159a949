import type { Transaction } from '@tocsin/database';
import { deleteWatchedMonitor, type MonitorOf, saveWatchedMonitor } from '../storage/watched-monitor-store.ts';

/**
 * Records the channels of a monitor for the weekly digest. If the monitor lost its last channel, also records the time.
 */
export async function applyMonitorChannels(
  tx: Transaction,
  { channelIds, ...monitor }: MonitorOf & { name: string; channelIds: string[] | 'gone'; at: Date },
): Promise<void> {
  if (channelIds === 'gone') await deleteWatchedMonitor(tx, monitor);
  else await saveWatchedMonitor(tx, { ...monitor, channelIds });
}
