import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import { withCurrentComponents } from '../domain/current-components.ts';
import { isOpen } from '../domain/disruption.ts';
import { disruptionChanged } from '../events/outgoing.ts';
import {
  awaitOpening,
  listOpenComponents,
  listOutdated,
  lockDisruption,
  saveDisruption,
} from '../storage/disruption-store.ts';
import type { Deps } from './ports.ts';
import { relinkDisruptions } from './relink-disruptions.ts';

interface PageChange {
  readonly organizationId: string;
  readonly statusPageId: string;
  /** Whether the page was deleted, with all its components. */
  readonly deleted: boolean;
}

/**
 * Maximum number of disruptions whose components one change to a page updates. The others are updated with a later
 * change to the page.
 */
const MAX_UPDATED = 200;

/**
 * Updates an organization's open disruptions after a change to a page: adds newly linked components to automatic ones,
 * and updates names and removed components of all. Runs in the transaction that handles the change, after the change
 * was committed.
 * @throws ServiceError `unavailable` if statuspage does not respond. The transaction must then be rolled back.
 */
export async function applyPageChange(deps: Deps, tx: Transaction, change: PageChange): Promise<void> {
  // A transaction that is saving a disruption may have read the page before the change. A later one reads it after the
  // change.
  await awaitOpening(tx, change.organizationId);
  if (!change.deleted) await relinkDisruptions(deps, tx, change);
  await updateComponents(deps, tx, change);
}

/** Publishes the changes as silent, because no person changed the disruptions. */
async function updateComponents(
  deps: Deps,
  tx: Transaction,
  { organizationId, statusPageId, deleted }: PageChange,
): Promise<void> {
  const affected = await listOpenComponents(tx, organizationId, statusPageId);
  if (affected.length === 0) return;
  const ids = [...new Set(affected.map(({ id }) => id))];
  const names = deleted
    ? new Map<string, string>()
    : await deps.components.namesOnPage(organizationId, statusPageId, ids);
  // The page was deleted after this change, and the event about its deletion follows.
  if (!names) return;
  const outdated = affected.filter(({ id, name }) => names.get(id) !== name);
  if (outdated.length === 0) return;
  const current = new Map(ids.map((id) => [id, names.get(id)]));
  for (const id of await listOutdated(tx, organizationId, outdated, MAX_UPDATED)) {
    const before = await lockDisruption(tx, organizationId, id);
    if (!before || !isOpen(before)) continue;
    const now = deps.now();
    const after = withCurrentComponents(before, current, now);
    if (after === before) continue;
    await saveDisruption(tx, after);
    await appendEvents(tx, [disruptionChanged(before, after, true)], now);
  }
}
