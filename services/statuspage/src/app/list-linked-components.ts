import { validate } from 'uuid';
import { type LinkedComponent, listLinked } from '../storage/component-store.ts';
import type { Deps } from './ports.ts';

/** The components that follow a monitor, on whatever page of the organization; none for an unknown monitor. */
export async function listLinkedComponents(
  { database }: Deps,
  { organizationId, monitorId }: { organizationId: string; monitorId: string },
): Promise<LinkedComponent[]> {
  if (!validate(monitorId)) return [];
  return database.transaction({ organizationId }, (tx) => listLinked(tx, organizationId, monitorId));
}
