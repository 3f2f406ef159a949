import type { StatusPage } from '../domain/page.ts';
import { listPages } from '../storage/page-store.ts';
import type { Deps } from './ports.ts';

/** The organization's pages, newest first. */
export async function listStatusPages(
  { database }: Deps,
  { organizationId }: { organizationId: string },
): Promise<StatusPage[]> {
  return database.transaction({ organizationId }, (tx) => listPages(tx, organizationId));
}
