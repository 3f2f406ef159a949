import type { PageKey } from '../storage/structure-store.ts';
import { type DomainWithRecords, withRecords } from './domain-with-records.ts';
import { getStatusPage } from './get-status-page.ts';
import type { Deps } from './ports.ts';

/** @throws ServiceError `not_found` */
export async function getCustomDomain(deps: Deps, { organizationId, pageId }: PageKey): Promise<DomainWithRecords> {
  const { page } = await getStatusPage(deps, { organizationId, id: pageId });
  return withRecords(page, deps.address);
}
