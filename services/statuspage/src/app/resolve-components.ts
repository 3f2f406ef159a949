import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { type ComponentName, findNames } from '../storage/component-store.ts';
import { findPage } from '../storage/page-store.ts';
import type { Deps } from './ports.ts';

export interface ComponentsOfPage {
  readonly organizationId: string;
  readonly statusPageId: string;
  readonly ids: readonly string[];
}

/** Those of the ids that are components of a page. @throws ServiceError `not_found` when there is no such page. */
export async function resolveComponents(
  { database }: Deps,
  { organizationId, statusPageId, ids }: ComponentsOfPage,
): Promise<ComponentName[]> {
  if (!isId(statusPageId)) throw notFound('status page');
  return database.transaction({ organizationId }, async (tx) => {
    if (!(await findPage(tx, organizationId, statusPageId))) throw notFound('status page');
    return findNames(tx, organizationId, statusPageId, ids.filter(isId));
  });
}
