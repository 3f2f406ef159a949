import { listReleased, popHeldDown } from '../storage/held-down-store.ts';
import { applyMonitorEvent } from './apply-monitor-event.ts';
import type { Deps } from './ports.ts';

const BATCH = 50;

/**
 * Opens the disruptions of monitors that went down under maintenance and still are when it is over. Any number of
 * replicas may do this at once.
 * @throws ServiceError `unavailable` when the components that follow a monitor can't be had; it stays held then.
 */
export async function releaseHeldDowns(deps: Deps): Promise<'again' | 'done'> {
  const { database } = deps;
  const released = await database.transaction('every organization', (tx) => listReleased(tx, BATCH));
  for (const { organizationId, monitorId } of released) {
    await database.transaction({ organizationId }, async (tx) => {
      const fact = await popHeldDown(tx, organizationId, monitorId);
      if (fact) await applyMonitorEvent(deps, { tx, organizationId, fact });
    });
  }
  return released.length === BATCH ? 'again' : 'done';
}
