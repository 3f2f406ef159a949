import { changeDisruption } from './change-disruption.ts';
import type { Disruption } from './disruption.ts';
import type { Posting } from './posting.ts';

/**
 * Starts or completes a maintenance if that is due, and returns the changed maintenance. Returns undefined if nothing
 * is due.
 */
export function moveOn(maintenance: Disruption, posting: Posting): Disruption | undefined {
  const { dueAt, status } = maintenance;
  if (!dueAt || dueAt > posting.now) return undefined;
  const next = status === 'scheduled' ? 'in_progress' : 'completed';
  const moved = changeDisruption(maintenance, { status: next }, posting);
  // After an outage of this service, the planned end may have passed as well. The maintenance is then due for
  // completion.
  return next === 'in_progress' ? { ...moved, dueAt: moved.endsAt } : moved;
}
