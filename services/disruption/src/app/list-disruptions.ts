import type { Paging, Part } from '@tocsin/paging';
import type { Disruption } from '../domain/disruption.ts';
import { type DisruptionFilter, listDisruptions as findPart } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

/** Returns a page of an organization's disruptions that match the filter, newest first. */
export async function listDisruptions(
  { database }: Deps,
  { organizationId, filter, paging }: { organizationId: string; filter: DisruptionFilter; paging: Paging },
): Promise<Part<Disruption>> {
  return database.transaction({ organizationId }, (tx) => findPart(tx, organizationId, filter, paging));
}
