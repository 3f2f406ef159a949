import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import { relink } from '../domain/automatic-disruption.ts';
import { disruptionChanged } from '../events/outgoing.ts';
import { listOpenAutomatic, lockLinks, lockOpenAutomatic, saveDisruption } from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';

/**
 * Adds newly linked components to an organization's open automatic disruptions, and publishes the disruptions to the
 * pages of these components. Runs in the transaction that handles the change to a page.
 * @throws ServiceError `unavailable` if the linked components can't be read. The transaction must then be rolled back.
 */
export async function relinkDisruptions(deps: Deps, tx: Transaction, organizationId: string): Promise<void> {
  await lockLinks(tx, organizationId);
  for (const monitorId of await listOpenAutomatic(tx, organizationId)) {
    const disruption = await lockOpenAutomatic(tx, organizationId, monitorId);
    if (!disruption) continue;
    const now = deps.now();
    const linked = relink(disruption, await deps.components.whileDown(organizationId, monitorId), now);
    if (linked === disruption) continue;
    await saveDisruption(tx, linked);
    await appendEvents(tx, [disruptionChanged(disruption, linked)], now);
  }
}
