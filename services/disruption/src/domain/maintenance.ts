import { changeDisruption } from './change-disruption.ts';
import type { Disruption } from './disruption.ts';
import type { Posting } from './posting.ts';

/**
 * The same maintenance one step on, when it is time: what was scheduled is in progress, and what was in progress is
 * complete. Undefined when it is not time.
 */
export function moveOn(maintenance: Disruption, posting: Posting): Disruption | undefined {
  const { dueAt, status } = maintenance;
  if (!dueAt || dueAt > posting.now) return undefined;
  const next = status === 'scheduled' ? 'in_progress' : 'completed';
  const moved = changeDisruption(maintenance, { status: next }, posting);
  // Even an end that was missed, because nobody was there to see the start in time, is the system's to write down.
  return next === 'in_progress' ? { ...moved, dueAt: moved.endsAt } : moved;
}
