import type { Paging } from '@tocsin/paging';
import { isId, writeCursor } from '@tocsin/text';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { type MonitorFilter, readViews } from '../../storage/monitors/monitor-reader.ts';
import { existingMonitorIds } from '../../storage/monitors/monitor-store.ts';
import type { Deps } from '../ports.ts';

export interface MonitorList {
  readonly filter: MonitorFilter;
  readonly paging: Paging;
}

/**
 * Returns monitors of an organization, newest first, and where the next page starts if there is one. A monitor that is
 * created or deleted between two pages moves no other from one page to the next.
 */
export async function listMonitors(
  deps: Deps,
  organizationId: string,
  { filter, paging }: MonitorList,
): Promise<{ views: MonitorView[]; nextCursor: string | undefined }> {
  const { views, hasMore } = await readViews(deps.database, organizationId, filter, paging);
  return { views, nextCursor: hasMore ? writeCursor(views.at(-1)?.monitor.id) : undefined };
}

/** Those of the ids that are monitors of the organization. */
export async function resolveMonitors(deps: Deps, organizationId: string, ids: readonly string[]): Promise<string[]> {
  return deps.database.transaction({ organizationId }, (tx) =>
    existingMonitorIds(tx, organizationId, ids.filter(isId)),
  );
}
