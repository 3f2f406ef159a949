import { listReleased, popHeldDown } from '../storage/held-down-store.ts';
import { applyMonitorEvent } from './apply-monitor-event.ts';
import type { Deps } from './ports.ts';

const BATCH = 50;

/**
 * Opens the disruptions of monitors that went down during a maintenance and are still down at its end. Several replicas
 * may run this function concurrently.
 * @throws AggregateError if the components linked to some monitors can't be read. A later run then opens their
 * disruptions.
 */
export async function releaseHeldDowns(deps: Deps): Promise<'again' | 'done'> {
  const { database } = deps;
  const released = await database.transaction('every organization', (tx) => listReleased(tx, BATCH));
  const failures: unknown[] = [];
  for (const { organizationId, monitorId } of released) {
    const release = database.transaction({ organizationId }, async (tx) => {
      const event = await popHeldDown(tx, organizationId, monitorId);
      if (event) await applyMonitorEvent(deps, { tx, organizationId, event });
    });
    await release.catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} held downs were not released`);
  return released.length === BATCH ? 'again' : 'done';
}
