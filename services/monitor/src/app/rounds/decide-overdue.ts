import { isSweepDue } from '../../storage/rounds/sweep-reader.ts';
import type { Deps } from '../ports.ts';
import { recordStaleMonitors } from './record-stale-monitors.ts';
import { SWEEP_LIMIT, settleOverdueRounds } from './settle-rounds.ts';

/**
 * Returns a function that decides overdue rounds, and records which monitors are stale; call it every second. Instead
 * of the current time, it uses `recordedUpTo`, the time up to which all results in the stream have been recorded. A
 * result that reached the stream in time thus counts, even if it is recorded late.
 */
export function overdueDecider(
  deps: Deps,
  recordedUpTo: () => Promise<Date | undefined>,
): () => Promise<'again' | 'done'> {
  /** Whether the last call left work, which isSweepDue() may not find because it has been due for too long. */
  let isBehind = false;
  return async () => {
    if (!isBehind && !(await isSweepDue(deps.database, deps.now()))) return 'done';
    isBehind = true;
    const recorded = await recordedUpTo();
    if (!recorded) return 'done';
    if ((await settleOverdueRounds(deps, recorded)) === SWEEP_LIMIT) return 'again';
    const outcome = await recordStaleMonitors(deps, recorded);
    isBehind = outcome === 'again';
    return outcome;
  };
}
