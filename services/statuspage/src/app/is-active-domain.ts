import { isHostName } from '../domain/custom-domain.ts';
import { isActiveDomain as find } from '../storage/page-store.ts';
import type { Deps } from './ports.ts';

/** Whether a page, of whatever organization, proved that a domain is its owner's. */
export async function isActiveDomain({ database }: Deps, { domain }: { domain: string }): Promise<boolean> {
  const name = domain.toLowerCase();
  return isHostName(name) && database.transaction('every organization', (tx) => find(tx, name));
}
