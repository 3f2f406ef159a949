import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import { relink } from '../domain/automatic-disruption.ts';
import { disruptionChanged } from '../events/outgoing.ts';
import { listOpenAutomatic, lockOpenAutomatic, saveDisruption } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

/**
 * Adds newly linked components of a page to an organization's open automatic disruptions, and publishes the disruptions
 * to the page. The caller has called awaitOpening(): a disruption that was being opened may not have had the new links.
 * Locks only the disruptions that change.
 * @throws ServiceError `unavailable` if the linked components can't be read. The transaction must then be rolled back.
 */
export async function relinkDisruptions(
  deps: Deps,
  tx: Transaction,
  { organizationId, statusPageId }: { organizationId: string; statusPageId: string },
): Promise<void> {
  const open = await listOpenAutomatic(tx, organizationId);
  const linked = await deps.components.onPageWhileDown(organizationId, statusPageId, [...open.keys()]);
  for (const [monitorId, components] of linked) {
    const known = open.get(monitorId);
    if (components.every(({ id }) => known?.has(id))) continue;
    const disruption = await lockOpenAutomatic(tx, organizationId, monitorId);
    if (!disruption) continue;
    const now = deps.now();
    const changed = relink(disruption, components, now);
    if (changed === disruption) continue;
    await saveDisruption(tx, changed);
    await appendEvents(tx, [disruptionChanged(disruption, changed)], now);
  }
}
