import { notFound } from '@tocsin/errors';
import { isId } from '@tocsin/text';
import type { Disruption } from '../domain/disruption.ts';
import { findDisruption } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

/**
 * Returns a disruption.
 * @throws ServiceError `not_found`, including for a disruption of another organization.
 */
export async function getDisruption(
  { database }: Deps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<Disruption> {
  if (!isId(id)) throw notFound('disruption');
  const disruption = await database.transaction({ organizationId }, (tx) => findDisruption(tx, organizationId, id));
  if (!disruption) throw notFound('disruption');
  return disruption;
}
