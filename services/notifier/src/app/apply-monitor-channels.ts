import type { Transaction } from '@tocsin/database';
import { deleteWatchedMonitor, type MonitorOf, saveWatchedMonitor } from '../storage/watched-monitor-store.ts';

/** Records which channels a monitor has, and since when it has none, for the weekly digest. */
export async function applyMonitorChannels(
  tx: Transaction,
  { channelIds, ...monitor }: MonitorOf & { name: string; channelIds: string[] | 'gone'; at: Date },
): Promise<void> {
  if (channelIds === 'gone') await deleteWatchedMonitor(tx, monitor);
  else await saveWatchedMonitor(tx, { ...monitor, channelIds });
}
