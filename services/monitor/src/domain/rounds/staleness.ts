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
  /** Time at which the monitor was created, enabled or changed. Missing rounds before this time don't count. */
  readonly watchedFrom: Date;
  readonly evaluatorState: EvaluatorState | undefined;
}

export interface StalenessCheck {
  /** Time of the next staleness check. A change to the monitor makes the check due at once. */
  readonly checkAt: Date;
  /** State change, if the monitor became stale. */
  readonly change?: Change;
  /** Evaluator state to save: that of the change, or one without the streak of a monitor that stays in its state. */
  readonly evaluatorState?: EvaluatorState;
}

const LEAST_MS = 5 * 60_000;
const INTERVALS = 3;

/**
 * Maximum age of a round when it is decided, in milliseconds. This includes its deadline and the transit of its
 * results.
 */
const LATE_MS = 3 * 60_000;

/** Returns how long a monitor may go without a decided round before it is stale, in milliseconds (docs/states.md). */
export function staleAfterMs(intervalSeconds: number): number {
  return Math.max(INTERVALS * intervalSeconds * 1000, LEAST_MS);
}

/**
 * Checks whether a monitor is stale. No check is needed before `checkAt`, because a round that is decided before this
 * time can only delay staleness.
 */
export function checkStaleness(
  { intervalSeconds, watchedFrom, evaluatorState }: WatchedMonitor,
  presences: readonly OnlinePeriod[],
  now: Date,
): StalenessCheck {
  const limitMs = staleAfterMs(intervalSeconds);
  const lastResultAt =
    evaluatorState?.lastRoundAt && evaluatorState.lastRoundAt > watchedFrom ? evaluatorState.lastRoundAt : watchedFrom;
  const staleSince = staleAt(lastResultAt, limitMs, presences);
  if (staleSince > now) return { checkAt: staleSince };
  // A round that is decided after this check may be up to LATE_MS older than `now`. Because staleness is counted from
  // the time of that round, LATE_MS is subtracted from the time of the next check.
  const checkAt = new Date(now.getTime() + limitMs - LATE_MS);
  const { changed, evaluatorState: marked } = markStale(
    evaluatorState ?? initialEvaluatorState(watchedFrom),
    staleSince,
  );
  if (!changed) return { checkAt, ...(marked !== evaluatorState && { evaluatorState: marked }) };
  const text = `no conclusive check results for ${spellDuration(limitMs)}, expected every ${spellDuration(intervalSeconds * 1000)}`;
  return { checkAt, evaluatorState: marked, change: { evaluatorState: marked, error: text, explanation: text } };
}

/**
 * Returns the time at which a monitor becomes stale if no other round is decided before then. Only time in which the
 * service was running counts.
 */
function staleAt(lastResultAt: Date, limitMs: number, presences: readonly OnlinePeriod[]): Date {
  let left = limitMs;
  for (const { since, seenAt } of presences.slice(0, -1)) {
    const runningMs = seenAt.getTime() - Math.max(since.getTime(), lastResultAt.getTime());
    if (runningMs >= left) return new Date(seenAt.getTime() - runningMs + left);
    if (runningMs > 0) left -= runningMs;
  }
  const last = presences.at(-1)?.since ?? lastResultAt;
  return new Date(Math.max(last.getTime(), lastResultAt.getTime()) + left);
}
