import type { Disruption } from '../domain/disruption.ts';
import { type DisruptionFilter, listDisruptions as findAll } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

/** The organization's disruptions that fit the filter, newest first. */
export async function listDisruptions(
  { database }: Deps,
  { organizationId, filter }: { organizationId: string; filter: DisruptionFilter },
): Promise<Disruption[]> {
  return database.transaction({ organizationId }, (tx) => findAll(tx, organizationId, filter));
}
