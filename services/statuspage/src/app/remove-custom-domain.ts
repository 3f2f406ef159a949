import { notFound } from '@tocsin/errors';
import type { PageKey } from '../storage/structure-store.ts';
import { changeDomain } from './change-domain.ts';
import type { Deps } from './ports.ts';

/** The page is not served at its own domain any more. @throws ServiceError `not_found` */
export async function removeCustomDomain(deps: Deps, key: PageKey): Promise<void> {
  await changeDomain(deps, key, ({ domain }) => {
    if (!domain) throw notFound('custom domain');
    return undefined;
  });
}
