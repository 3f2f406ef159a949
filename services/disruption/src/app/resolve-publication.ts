import type { Transaction } from '@tocsin/database';
import type { FieldErrorCollector } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import type { AffectedComponent } from '../domain/component.ts';
import { isWhole, type Publication, publicationOf, type WantedPublication } from '../domain/publication.ts';
import { takeLinks } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

interface RequestedPublication {
  readonly wanted: WantedPublication;
  readonly problems: FieldErrorCollector;
  /**
   * Components that an ended disruption had at its end. They are accepted with these names even if they were renamed or
   * removed since.
   */
  readonly kept?: readonly NamedComponent[];
}

type NamedComponent = Pick<AffectedComponent, 'id' | 'name' | 'statusPageId'>;

/**
 * Returns the requested publication with the names of its components, or undefined if no publication is requested. Adds
 * an error to `problems` for each invalid field. The caller saves the publication in the same transaction, and has
 * locked no rows, so that none is locked during the call to statuspage.
 * @throws ServiceError `unavailable` if statuspage does not respond.
 */
export async function resolvePublication(
  { components }: Deps,
  tx: Transaction,
  organizationId: string,
  { wanted, problems, kept = [] }: RequestedPublication,
): Promise<Publication | undefined> {
  if (!isWhole(wanted, problems)) return undefined;
  const statusPageId = wanted.statusPageId.toLowerCase();
  const ids = wanted.components.map(({ id }) => id.toLowerCase()).filter(isId);
  if (ids.length > 0) await takeLinks(tx, organizationId);
  const names = isId(statusPageId) ? await components.namesOnPage(organizationId, statusPageId, ids) : undefined;
  const keptNames = kept.filter((one) => one.statusPageId === statusPageId).map(({ id, name }) => [id, name] as const);
  return publicationOf({ ...wanted, statusPageId }, names && new Map([...names, ...keptNames]), problems);
}
