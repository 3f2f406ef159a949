import { notFound } from '@tocsin/errors';
import { findMonitor } from '../storage/monitor-store.ts';
import { type MonitorView, requireId, viewOf } from './monitor-view.ts';
import type { Deps } from './ports.ts';

/** @throws ServiceError `not_found` for what never existed and for what is somebody else's. */
export async function getMonitor(deps: Deps, organizationId: string, id: string): Promise<MonitorView> {
  return deps.database.transaction({ organizationId }, async (tx) => {
    const monitor = await findMonitor(tx, organizationId, requireId(id));
    if (!monitor) throw notFound('monitor');
    return viewOf(tx, monitor);
  });
}
