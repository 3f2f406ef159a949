import type { FieldErrorCollector } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import { isWhole, type Publication, publicationOf, type WantedPublication } from '../domain/publication.ts';
import type { Deps } from './ports.ts';

/**
 * Returns the requested publication with the names of its components, or undefined if no publication is requested. Adds
 * an error to `problems` for each invalid field.
 */
export async function resolvePublication(
  { components }: Deps,
  organizationId: string,
  wanted: WantedPublication,
  problems: FieldErrorCollector,
): Promise<Publication | undefined> {
  if (!isWhole(wanted, problems)) return undefined;
  const { statusPageId } = wanted;
  const ids = wanted.components.map(({ id }) => id.toLowerCase()).filter(isId);
  const names = isId(statusPageId) ? await components.namesOnPage(organizationId, statusPageId, ids) : undefined;
  return publicationOf({ ...wanted, statusPageId: statusPageId.toLowerCase() }, names, problems);
}
