import type { Transaction } from '@tocsin/database';
import type { MonitorCondition } from '../domain/shown-status.ts';
import { type MonitorKey, saveMonitorCondition } from '../storage/monitor-condition-store.ts';

/** Records the condition of a monitor, in the transaction that applies its event. */
export async function recordCondition(tx: Transaction, key: MonitorKey, condition: MonitorCondition): Promise<void> {
  await saveMonitorCondition(tx, key, condition);
}
