import { invalid } from '@tocsin/errors';
import { isId, readCursor, writeCursor } from '@tocsin/text';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { type MonitorFilter, readViews } from '../../storage/monitors/monitor-reader.ts';
import { existingMonitorIds } from '../../storage/monitors/monitor-store.ts';
import type { Deps } from '../ports.ts';

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
  // One more than asked for tells whether there is a next page.
  const found = await readViews(deps.database, organizationId, filter, { before, limit: limit && limit + 1 });
  const views = limit ? found.slice(0, limit) : found;
  return { views, nextCursor: views.length < found.length ? writeCursor(views.at(-1)?.monitor.id) : undefined };
}

/** Those of the ids that are monitors of the organization. */
export async function resolveMonitors(deps: Deps, organizationId: string, ids: readonly string[]): Promise<string[]> {
  return deps.database.transaction({ organizationId }, (tx) =>
    existingMonitorIds(tx, organizationId, ids.filter(isId)),
  );
}
