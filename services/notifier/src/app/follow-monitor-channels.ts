import type { Transaction } from '@tocsin/database';
import { forgetWatchedMonitor, keepWatchedMonitor, type MonitorOf } from '../storage/watched-monitor-store.ts';

/** Remembers which channels a monitor has, and since when it has none: the weekly digest is about those. */
export async function followMonitorChannels(
  tx: Transaction,
  { channelIds, ...monitor }: MonitorOf & { name: string; channelIds: string[] | 'gone'; at: Date },
): Promise<void> {
  if (channelIds === 'gone') await forgetWatchedMonitor(tx, monitor);
  else await keepWatchedMonitor(tx, { ...monitor, channelIds });
}
