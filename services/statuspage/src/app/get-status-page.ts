import { notFound } from '@tocsin/errors';
import { validate } from 'uuid';
import { findPage } from '../storage/page-store.ts';
import { type PageWithTree, withTree } from './page-with-tree.ts';
import type { Deps } from './ports.ts';

/** @throws ServiceError `not_found` */
export async function getStatusPage(
  { database }: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<PageWithTree> {
  if (!validate(id)) throw notFound('status page');
  return database.transaction({ organizationId }, async (tx) => {
    const page = await findPage(tx, organizationId, id);
    if (!page) throw notFound('status page');
    return withTree(tx, page);
  });
}
