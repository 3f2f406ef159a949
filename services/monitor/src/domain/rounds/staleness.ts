import { spellDuration } from '@tocsin/text';
import { type EvaluatorState, initialEvaluatorState, markStale } from './evaluate.ts';
import type { Change } from './transition.ts';

/** A period in which the service was running. The last period of a list has not ended yet. */
export interface OnlinePeriod {
  readonly since: Date;
  readonly seenAt: Date;
}

/** A monitor that is checked for staleness. */
export interface WatchedMonitor {
  readonly intervalSeconds: number;
  /** Time at which the monitor was created, enabled or changed. Missing rounds before it don't count. */
  readonly watchedFrom: Date;
  readonly evaluatorState: EvaluatorState | undefined;
}

export interface StalenessCheck {
  /** Time of the next staleness check, unless the monitor is changed earlier. */
  readonly lookAt: Date;
  /** State change, if the monitor became stale. */
  readonly change?: Change;
}

const LEAST_MS = 5 * 60_000;
const INTERVALS = 3;

/**
 * Maximum age of a round when it is decided, in milliseconds. This includes its deadline and the transit of its
 * results.
 */
const LATE_MS = 3 * 60_000;

/** Returns the time without a decided round after which a monitor is stale, in milliseconds (docs/states.md). */
export function staleAfterMs(intervalSeconds: number): number {
  return Math.max(INTERVALS * intervalSeconds * 1000, LEAST_MS);
}

/**
 * Checks whether a monitor is stale. No check is needed before `lookAt`, because a round that is decided before this
 * time can only delay staleness.
 */
export function checkStaleness(
  { intervalSeconds, watchedFrom, evaluatorState }: WatchedMonitor,
  presences: readonly OnlinePeriod[],
  now: Date,
): StalenessCheck {
  const patience = staleAfterMs(intervalSeconds);
  const heardAt =
    evaluatorState?.lastRoundAt && evaluatorState.lastRoundAt > watchedFrom ? evaluatorState.lastRoundAt : watchedFrom;
  const staleSince = staleAt(heardAt, patience, presences);
  if (staleSince > now) return { lookAt: staleSince };
  // A round that is decided later may have a time before now, from which the next period without data is counted.
  const lookAt = new Date(now.getTime() + patience - LATE_MS);
  const evaluation = markStale(evaluatorState ?? initialEvaluatorState(watchedFrom), staleSince);
  if (!evaluation.changed) return { lookAt };
  const words = `no conclusive check results for ${spellDuration(patience)}, expected every ${spellDuration(intervalSeconds * 1000)}`;
  return { lookAt, change: { evaluatorState: evaluation.evaluatorState, error: words, explanation: words } };
}

/**
 * Returns the time at which a monitor becomes stale without further rounds. Only time in which the service was running
 * counts.
 */
function staleAt(heardAt: Date, patience: number, presences: readonly OnlinePeriod[]): Date {
  let left = patience;
  for (const { since, seenAt } of presences.slice(0, -1)) {
    const listened = seenAt.getTime() - Math.max(since.getTime(), heardAt.getTime());
    if (listened >= left) return new Date(seenAt.getTime() - listened + left);
    if (listened > 0) left -= listened;
  }
  const last = presences.at(-1)?.since ?? heardAt;
  return new Date(Math.max(last.getTime(), heardAt.getTime()) + left);
}
