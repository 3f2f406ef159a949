import type { Disruption } from '../domain/disruption.ts';
import { listDisruptions as findAll } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

/** The organization's disruptions, newest first. */
export async function listDisruptions(
  { database }: Deps,
  { organizationId }: { organizationId: string },
): Promise<Disruption[]> {
  return database.transaction({ organizationId }, (tx) => findAll(tx, organizationId));
}
