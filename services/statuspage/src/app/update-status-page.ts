import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { validate } from 'uuid';
import { changePage, type PageSettings } from '../domain/page.ts';
import { pageUpdated } from '../events/outgoing.ts';
import { lockPage, savePage } from '../storage/page-store.ts';
import { type PageWithTree, withTree } from './page-with-tree.ts';
import type { Deps } from './ports.ts';

export interface PageChanges {
  readonly organizationId: string;
  readonly id: string;
  /** What is absent stays; what is undefined is cleared. */
  readonly changes: Partial<PageSettings>;
}

/** Changes a page's own settings. @throws ServiceError `not_found`, or `invalid` that names every wrong field. */
export async function updateStatusPage(
  { database, now }: Deps,
  { organizationId, id, changes }: PageChanges,
): Promise<PageWithTree> {
  if (!validate(id)) throw notFound('status page');
  return database.transaction({ organizationId }, async (tx) => {
    const page = await lockPage(tx, organizationId, id);
    if (!page) throw notFound('status page');
    const changedAt = now();
    const changed = changePage(page, changes, changedAt);
    if (changed !== page) {
      await savePage(tx, changed);
      await appendEvents(tx, [pageUpdated(changed)], changedAt);
    }
    return withTree(tx, changed);
  });
}
