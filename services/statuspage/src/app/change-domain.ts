import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { validate } from 'uuid';
import type { CustomDomain } from '../domain/custom-domain.ts';
import type { StatusPage } from '../domain/page.ts';
import { pageUpdated } from '../events/outgoing.ts';
import { lockPage, savePage } from '../storage/page-store.ts';
import type { PageKey } from '../storage/structure-store.ts';
import type { Deps } from './ports.ts';

/**
 * Gives a page the domain that `change` answers; the very same one changes nothing.
 * @throws ServiceError `not_found` for the page, `conflict` when another page is served there, and what `change`
 * throws.
 */
export async function changeDomain(
  { database, now }: Deps,
  { organizationId, pageId }: PageKey,
  change: (page: StatusPage) => CustomDomain | undefined,
): Promise<StatusPage> {
  if (!validate(pageId)) throw notFound('status page');
  return database.transaction({ organizationId }, async (tx) => {
    const page = await lockPage(tx, organizationId, pageId);
    if (!page) throw notFound('status page');
    const domain = change(page);
    if (domain === page.domain) return page;
    const changed = { ...page, domain, updatedAt: now() };
    await savePage(tx, changed);
    await appendEvents(tx, [pageUpdated(changed)], changed.updatedAt);
    return changed;
  });
}
