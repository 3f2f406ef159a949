import { changeDisruption } from './change-disruption.ts';
import type { Disruption } from './disruption.ts';
import type { Posting } from './posting.ts';

/**
 * Returns the maintenance after its due step, which is the start or the completion. Returns undefined if no step is
 * due.
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
