import type { Paging, Part } from '@tocsin/paging';
import type { StatusPage } from '../domain/page.ts';
import { listPages } from '../storage/page-store.ts';
import type { Deps } from './ports.ts';

/** The organization's pages, newest first. */
export async function listStatusPages(
  { database }: Deps,
  { organizationId, paging }: { organizationId: string; paging: Paging },
): Promise<Part<StatusPage>> {
  return database.transaction({ organizationId }, (tx) => listPages(tx, organizationId, paging));
}
