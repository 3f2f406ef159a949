import { ServiceError } from '@tocsin/errors';
import { listAutomaticEndedBefore } from '../storage/disruption-store.ts';
import { deleteDisruption } from './delete-disruption.ts';
import type { Deps } from './ports.ts';

/**
 * Milliseconds for which automatic disruptions are stored after their end. Disruptions that people opened are stored
 * until a person deletes them.
 */
const KEPT_MS = 400 * 24 * 3_600_000;
const BATCH = 100;

/**
 * Deletes a batch of the automatic disruptions whose retention time has passed. Returns `again` if there may be more.
 */
export async function deleteOldDisruptions(deps: Deps): Promise<'again' | 'done'> {
  const before = new Date(deps.now().getTime() - KEPT_MS);
  const old = await deps.database.transaction('every organization', (tx) =>
    listAutomaticEndedBefore(tx, before, BATCH),
  );
  for (const { organizationId, id } of old) await deleteIfPresent(deps, { organizationId, id });
  return old.length === BATCH ? 'again' : 'done';
}

/** Deletes a disruption. Does nothing if a person or another replica has already deleted it. */
async function deleteIfPresent(deps: Deps, key: { organizationId: string; id: string }): Promise<void> {
  try {
    await deleteDisruption(deps, key);
  } catch (error) {
    if (!(error instanceof ServiceError && error.kind === 'not_found')) throw error;
  }
}
