import { applyDeadline, dueAt } from '../../domain/heartbeats/heartbeat.ts';
import { findDueHeartbeats, lockHeartbeats } from '../../storage/heartbeats/heartbeat-store.ts';
import type { Deps } from '../ports.ts';
import { beginHeartbeatChanges, type HeartbeatChanges, saveHeartbeatChanges, withStep } from './heartbeat-changes.ts';

/** Maximum number of monitors in one transaction. */
export const DUE_LIMIT = 500;

/**
 * Applies expired deadlines and confirmation windows of heartbeat monitors. Returns the number of monitors that were
 * due.
 */
export async function decideDueHeartbeats(deps: Deps): Promise<number> {
  const due = await deps.database.transaction('every organization', (tx) =>
    findDueHeartbeats(tx, deps.now(), DUE_LIMIT),
  );
  if (due.length === 0) return 0;
  return deps.database.transaction('every organization', async (tx) => {
    // A locked monitor is skipped, so that it does not delay others. It remains due and is found again in the next run.
    const monitors = await lockHeartbeats(tx, 'id', due, { skipLocked: true });
    const locked = await beginHeartbeatChanges(tx, monitors);
    const now = deps.now();
    // A ping, an update or another replica may have changed the monitor since the query.
    const isDue = ({ found, now: beating }: HeartbeatChanges) => found.enabled && dueAt(beating) <= now;
    const decided = locked.map((beats) => (isDue(beats) ? withStep(beats, applyDeadline(beats.now, now)) : beats));
    await saveHeartbeatChanges(tx, decided, now);
    return due.length;
  });
}
