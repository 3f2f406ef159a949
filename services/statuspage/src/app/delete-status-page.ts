import { notFound } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { validate } from 'uuid';
import { componentDeleted, pageUpdated } from '../events/outgoing.ts';
import { deletePage, lockPage } from '../storage/page-store.ts';
import { loadStructure } from '../storage/structure-store.ts';
import type { Deps } from './ports.ts';

/** Deletes a page with its tree; its slug is free again. @throws ServiceError `not_found` */
export async function deleteStatusPage(
  { database, now }: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  if (!validate(id)) throw notFound('status page');
  await database.transaction({ organizationId }, async (tx) => {
    const page = await lockPage(tx, organizationId, id);
    if (!page) throw notFound('status page');
    const { components } = await loadStructure(tx, { organizationId, pageId: id }, 'for update');
    await deletePage(tx, page);
    const deleted = components.map((component) => componentDeleted(page, component.id));
    await appendEvents(tx, [...deleted, pageUpdated(page)], now());
  });
}
