import { changeDisruption } from './change-disruption.ts';
import type { Disruption } from './disruption.ts';
import type { Posting } from './posting.ts';

/**
 * Returns the maintenance after its next automatic step, started or completed; undefined when none is due.
 */
export function moveOn(maintenance: Disruption, posting: Posting): Disruption | undefined {
  const { dueAt, status } = maintenance;
  if (!dueAt || dueAt > posting.now) return undefined;
  const next = status === 'scheduled' ? 'in_progress' : 'completed';
  const moved = changeDisruption(maintenance, { status: next }, posting);
  // After an outage of the service both steps may be due: the end is recorded after the start.
  return next === 'in_progress' ? { ...moved, dueAt: moved.endsAt } : moved;
}
