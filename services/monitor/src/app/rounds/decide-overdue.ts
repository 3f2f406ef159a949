import type { Deps } from '../ports.ts';
import { recordStaleMonitors } from './record-stale-monitors.ts';
import { SWEEP_LIMIT, settleOverdueRounds } from './settle-rounds.ts';

/**
 * Decides overdue rounds, and records which monitors are stale. Instead of the current time, it uses `recordedUpTo`,
 * the time up to which all results in the stream have been recorded. A result that reached the stream in time thus
 * counts, even if it is recorded late.
 */
export async function decideOverdue(
  deps: Deps,
  recordedUpTo: () => Promise<Date | undefined>,
): Promise<'again' | 'done'> {
  const recorded = await recordedUpTo();
  if (!recorded) return 'done';
  const settled = await settleOverdueRounds(deps, recorded);
  return settled === SWEEP_LIMIT ? 'again' : recordStaleMonitors(deps, recorded);
}
