import { notFound } from '@tocsin/errors';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { readView, readViewsOf } from '../../storage/monitors/monitor-reader.ts';
import type { Deps } from '../ports.ts';
import { requireId } from './monitor-view.ts';

/**
 * Returns a monitor with its state.
 * @throws ServiceError `not_found`, including for a monitor of another organization.
 */
export async function getMonitor(deps: Deps, organizationId: string, id: string): Promise<MonitorView> {
  const view = await readView(deps.database, organizationId, requireId(id));
  if (!view) throw notFound('monitor');
  return view;
}

/**
 * Returns monitors with their states, in the order of `ids`.
 * @throws ServiceError `not_found` if one of them does not exist.
 */
export async function getMonitors(deps: Deps, organizationId: string, ids: readonly string[]): Promise<MonitorView[]> {
  const views = await readViewsOf(deps.database, organizationId, ids);
  const byId = new Map(views.map((view) => [view.monitor.id, view]));
  return ids.map((id) => {
    const view = byId.get(id);
    if (!view) throw notFound('monitor');
    return view;
  });
}
