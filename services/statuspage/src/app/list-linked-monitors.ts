import { isId } from '@tocsin/text';
import { listLinkedMonitorIds } from '../storage/component-store.ts';
import type { Deps } from './ports.ts';

/** The monitors that some components of the organization follow, each once; none for unknown components. */
export async function listLinkedMonitors(
  { database }: Deps,
  { organizationId, componentIds }: { organizationId: string; componentIds: readonly string[] },
): Promise<string[]> {
  return database.transaction({ organizationId }, (tx) =>
    listLinkedMonitorIds(tx, organizationId, componentIds.filter(isId)),
  );
}
