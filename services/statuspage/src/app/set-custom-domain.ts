import { type CustomDomain, checkDomain } from '../domain/custom-domain.ts';
import type { PageKey } from '../storage/structure-store.ts';
import { changeDomain } from './change-domain.ts';
import { type DomainWithRecords, withRecords } from './domain-with-records.ts';
import type { Deps } from './ports.ts';

/**
 * Gives a page a domain, which waits to be verified. The one that it has already stays as it is.
 * @throws ServiceError `not_found` or `invalid`
 */
export async function setCustomDomain(
  deps: Deps,
  { domain: text, ...key }: PageKey & { domain: string },
): Promise<DomainWithRecords> {
  const page = await changeDomain(deps, key, ({ domain }): CustomDomain => {
    const name = checkDomain(text, deps.address);
    return domain?.name === name ? domain : { name, status: 'pending' };
  });
  return withRecords(page, deps.address);
}
