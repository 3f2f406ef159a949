import { applyDeadline, dueAt } from '../../domain/heartbeats/heartbeat.ts';
import { findDueHeartbeats, lockHeartbeats } from '../../storage/heartbeats/heartbeat-store.ts';
import type { Deps } from '../ports.ts';
import { beginHeartbeatChanges, type HeartbeatChanges, saveHeartbeatChanges, withStep } from './heartbeat-changes.ts';

/** How many monitors one transaction handles. */
export const DUE_LIMIT = 500;

/** Applies the deadlines and confirmations of heartbeat monitors that are due. Returns how many were due. */
export async function decideDueHeartbeats(deps: Deps): Promise<number> {
  const due = await deps.database.transaction('every organization', (tx) =>
    findDueHeartbeats(tx, deps.now(), DUE_LIMIT),
  );
  if (due.length === 0) return 0;
  return deps.database.transaction('every organization', async (tx) => {
    // One that is being changed is still due at the next look, and delays no other.
    const monitors = await lockHeartbeats(tx, 'id', due, { skipLocked: true });
    const locked = await beginHeartbeatChanges(tx, monitors);
    const now = deps.now();
    // A ping, another replica or the owner may have changed it meanwhile.
    const isDue = ({ found, now: beating }: HeartbeatChanges) => found.enabled && dueAt(beating) <= now;
    const decided = locked.map((beats) => (isDue(beats) ? withStep(beats, applyDeadline(beats.now, now)) : beats));
    await saveHeartbeatChanges(tx, decided, now);
    return due.length;
  });
}
