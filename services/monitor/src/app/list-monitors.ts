import { isId } from '@tocsin/text';
import { existingMonitorIds, listMonitors as readMonitors } from '../storage/monitor-store.ts';
import { findStandings } from '../storage/standing-store.ts';
import type { MonitorView } from './monitor-view.ts';
import type { Deps } from './ports.ts';

/** Newest first. */
export async function listMonitors(deps: Deps, organizationId: string): Promise<MonitorView[]> {
  return deps.database.transaction({ organizationId }, async (tx) => {
    const monitors = await readMonitors(tx, organizationId);
    const standings = await findStandings(
      tx,
      monitors.map((monitor) => monitor.id),
    );
    return monitors.map((monitor) => ({ monitor, standing: standings.get(monitor.id) }));
  });
}

/** Those of the ids that are monitors of the organization. */
export async function resolveMonitors(deps: Deps, organizationId: string, ids: readonly string[]): Promise<string[]> {
  return deps.database.transaction({ organizationId }, (tx) =>
    existingMonitorIds(tx, organizationId, ids.filter(isId)),
  );
}
