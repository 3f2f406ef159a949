import { invalid } from '@tocsin/errors';
import { isId, readCursor, writeCursor } from '@tocsin/text';
import { existingMonitorIds, type MonitorFilter, listMonitors as readMonitors } from '../storage/monitor-store.ts';
import { findStandings } from '../storage/standing-store.ts';
import type { MonitorView } from './monitor-view.ts';
import type { Deps } from './ports.ts';

export interface MonitorList {
  readonly filter: MonitorFilter;
  /** At most so many; undefined: all. */
  readonly limit: number | undefined;
  /** Where the page before ended. */
  readonly cursor: string | undefined;
}

/**
 * Monitors of an organization, newest first, and where the next page begins if there is one. A monitor that is created
 * or deleted between two pages moves no other from one page to the next.
 */
export async function listMonitors(
  deps: Deps,
  organizationId: string,
  { filter, limit, cursor }: MonitorList,
): Promise<{ views: MonitorView[]; nextCursor: string | undefined }> {
  const before = cursor === undefined ? undefined : readCursor(cursor);
  if (cursor !== undefined && before === undefined) throw invalid({ cursor: ['is not from the link to a next page'] });
  return deps.database.transaction({ organizationId }, async (tx) => {
    // One more than asked for tells whether there is a next page.
    const found = await readMonitors(tx, organizationId, filter, { before, limit: limit && limit + 1 });
    const monitors = limit ? found.slice(0, limit) : found;
    const standings = await findStandings(
      tx,
      monitors.map((monitor) => monitor.id),
    );
    return {
      views: monitors.map((monitor) => ({ monitor, standing: standings.get(monitor.id) })),
      nextCursor: monitors.length < found.length ? writeCursor(monitors.at(-1)?.id) : undefined,
    };
  });
}

/** Those of the ids that are monitors of the organization. */
export async function resolveMonitors(deps: Deps, organizationId: string, ids: readonly string[]): Promise<string[]> {
  return deps.database.transaction({ organizationId }, (tx) =>
    existingMonitorIds(tx, organizationId, ids.filter(isId)),
  );
}
