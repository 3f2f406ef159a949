import type { Transaction } from '@tocsin/database';
import type { AffectedComponent } from '../domain/component.ts';
import type { CurrentNames } from '../domain/current-components.ts';
import { takeLinks } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

/**
 * Returns the current names of components of any pages. The caller has locked no rows, so that none is locked during
 * the calls to statuspage.
 * @throws ServiceError `unavailable` if statuspage does not respond.
 */
export async function readCurrentNames(
  { components }: Deps,
  tx: Transaction,
  organizationId: string,
  affected: readonly Pick<AffectedComponent, 'id' | 'statusPageId'>[],
): Promise<CurrentNames> {
  const current = new Map<string, string | undefined>();
  if (affected.length === 0) return current;
  await takeLinks(tx, organizationId);
  for (const [statusPageId, ofPage] of Map.groupBy(affected, (component) => component.statusPageId)) {
    const ids = ofPage.map(({ id }) => id);
    const names = await components.namesOnPage(organizationId, statusPageId, ids);
    for (const id of ids) current.set(id, names?.get(id));
  }
  return current;
}
