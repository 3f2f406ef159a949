import type { Transaction } from '@tocsin/database';
import type { Tables } from './tables.ts';

/** Hides the public pages of an organization, marks them for resumePages(), and returns their ids. */
export async function stopPages(tx: Transaction, organizationId: string): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['status_page'], 'id'>>(
    `update status_page set enabled = false, enabled_before_stop = true where organization_id = $1 and enabled
     returning id`,
    [organizationId],
  );
  return rows.map(({ id }) => id);
}

/** Makes the pages that stopPages() has hidden public again, and returns their ids. */
export async function resumePages(tx: Transaction, organizationId: string): Promise<string[]> {
  const rows = await tx.query<Pick<Tables['status_page'], 'id'>>(
    `update status_page set enabled = true, enabled_before_stop = false
     where organization_id = $1 and enabled_before_stop returning id`,
    [organizationId],
  );
  return rows.map(({ id }) => id);
}
