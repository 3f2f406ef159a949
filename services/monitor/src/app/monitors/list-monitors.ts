import type { Paging } from '@tocsin/paging';
import { isId, writeCursor } from '@tocsin/text';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { type MonitorFilter, readExistingIds, readViews } from '../../storage/monitors/monitor-reader.ts';
import type { Deps } from '../ports.ts';

export interface MonitorList {
  readonly filter: MonitorFilter;
  readonly paging: Paging;
}

/**
 * Returns a page of an organization's monitors, newest first, and the cursor for the next page, which is undefined on
 * the last page. Monitors that are created or deleted between two requests do not cause other monitors to be repeated
 * or skipped.
 */
export async function listMonitors(
  deps: Deps,
  organizationId: string,
  { filter, paging }: MonitorList,
): Promise<{ views: MonitorView[]; nextCursor: string | undefined }> {
  const { views, hasMore } = await readViews(deps.database, organizationId, filter, paging);
  return { views, nextCursor: hasMore ? writeCursor(views.at(-1)?.monitor.id) : undefined };
}

/** Returns which of the given ids belong to the organization's monitors. */
export async function resolveMonitors(deps: Deps, organizationId: string, ids: readonly string[]): Promise<string[]> {
  return readExistingIds(deps.database, organizationId, ids.filter(isId));
}
