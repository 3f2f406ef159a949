import { listReleased, popHeldDown } from '../storage/held-down-store.ts';
import { applyMonitorEvent } from './apply-monitor-event.ts';
import type { Deps } from './ports.ts';

const BATCH = 50;

/**
 * Opens the disruptions of monitors that went down during a maintenance and are still down at its end. Several replicas
 * may run this function concurrently.
 * @throws ServiceError `unavailable` if the components linked to a monitor can't be read. A later run then opens the
 * disruption.
 */
export async function releaseHeldDowns(deps: Deps): Promise<'again' | 'done'> {
  const { database } = deps;
  const released = await database.transaction('every organization', (tx) => listReleased(tx, BATCH));
  for (const { organizationId, monitorId } of released) {
    await database.transaction({ organizationId }, async (tx) => {
      const event = await popHeldDown(tx, organizationId, monitorId);
      if (event) await applyMonitorEvent(deps, { tx, organizationId, event });
    });
  }
  return released.length === BATCH ? 'again' : 'done';
}
