import type { Transaction } from '@tocsin/database';
import { deleteWatchedMonitor, type MonitorOf, saveWatchedMonitor } from '../storage/watched-monitor-store.ts';

/**
 * Records the channels of a monitor for the weekly digest. For a monitor without channels, also records since when it
 * has had none. Removes the record of a monitor that was deleted (`gone`).
 */
export async function applyMonitorChannels(
  tx: Transaction,
  { channelIds, ...monitor }: MonitorOf & { name: string; channelIds: string[] | 'gone'; at: Date },
): Promise<void> {
  if (channelIds === 'gone') await deleteWatchedMonitor(tx, monitor);
  else await saveWatchedMonitor(tx, { ...monitor, channelIds });
}
