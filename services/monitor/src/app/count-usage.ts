import { countRows } from '@tocsin/database';
import type { LimitName } from '@tocsin/enums';
import { MONITOR_ROWS } from '../storage/monitors/monitor-store.ts';
import type { Deps } from './ports.ts';

/** Returns an organization's usage of the limits that this service enforces. */
export async function countUsage(
  { database }: Deps,
  organizationId: string,
): Promise<Partial<Record<LimitName, number>>> {
  return database.transaction({ organizationId }, async (tx) => ({
    monitors: await countRows(tx, organizationId, MONITOR_ROWS),
  }));
}
