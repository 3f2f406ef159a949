import { notFound } from '@tocsin/errors';
import type { MonitorView } from '../../domain/monitors/monitor-view.ts';
import { readView } from '../../storage/monitors/monitor-reader.ts';
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
