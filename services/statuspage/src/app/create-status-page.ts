import { appendEvents } from '@tocsin/outbox';
import { v4, v7 } from 'uuid';
import { checkPage, type PageSettings } from '../domain/page.ts';
import { pageUpdated } from '../events/outgoing.ts';
import { insertPage } from '../storage/page-store.ts';
import type { PageWithTree } from './page-with-tree.ts';
import type { Deps } from './ports.ts';

/** Creates a page without components. @throws ServiceError `invalid` that names every wrong field. */
export async function createStatusPage(
  { database, now }: Deps,
  { organizationId, settings }: { organizationId: string; settings: PageSettings },
): Promise<PageWithTree> {
  checkPage(settings);
  const createdAt = now();
  const page = {
    ...settings,
    id: v7(),
    organizationId,
    domain: undefined,
    domainToken: v4().replaceAll('-', ''),
    createdAt,
    updatedAt: createdAt,
  };
  await database.transaction({ organizationId }, async (tx) => {
    await insertPage(tx, page);
    await appendEvents(tx, [pageUpdated(page)], createdAt);
  });
  return { page, entries: [] };
}
