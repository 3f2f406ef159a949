import type { Transaction } from '@tocsin/database';
import { deleteWatchedMonitor, type MonitorOf, saveWatchedMonitor } from '../storage/watched-monitor-store.ts';

/** Records the channels of a monitor, and the time since which it has had none, for the weekly digest. */
export async function applyMonitorChannels(
  tx: Transaction,
  { channelIds, ...monitor }: MonitorOf & { name: string; channelIds: string[] | 'gone'; at: Date },
): Promise<void> {
  if (channelIds === 'gone') await deleteWatchedMonitor(tx, monitor);
  else await saveWatchedMonitor(tx, { ...monitor, channelIds });
}
