import { notFound } from '@tocsin/errors';
import { validate } from 'uuid';
import type { Structure } from '../domain/tree.ts';
import { findPage } from '../storage/page-store.ts';
import { loadStructure, type PageKey } from '../storage/structure-store.ts';
import type { Deps } from './ports.ts';

/** All groups and components of a page. @throws ServiceError `not_found` */
export async function readStructure({ database }: Deps, key: PageKey): Promise<Structure> {
  const { organizationId, pageId } = key;
  if (!validate(pageId)) throw notFound('status page');
  return database.transaction({ organizationId }, async (tx) => {
    if (!(await findPage(tx, organizationId, pageId))) throw notFound('status page');
    return loadStructure(tx, key);
  });
}
