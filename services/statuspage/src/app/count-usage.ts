import { countRows } from '@tocsin/database';
import type { LimitName } from '@tocsin/enums';
import { PAGE_ROWS } from '../storage/page-store.ts';
import type { Deps } from './ports.ts';

/** Returns an organization's usage of the limits that this service enforces. */
export async function countUsage(
  { database }: Deps,
  organizationId: string,
): Promise<Partial<Record<LimitName, number>>> {
  return database.transaction({ organizationId }, async (tx) => ({
    status_pages: await countRows(tx, organizationId, PAGE_ROWS),
  }));
}
