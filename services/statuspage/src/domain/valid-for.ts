import type { Disruption } from './disruption.ts';

/** How long a page shows disruptions after their end. */
export const SHOWN_AFTER_END_MS = 14 * 24 * 3_600_000;

const DAY_MS = 24 * 3_600_000;

/**
 * Maximum number of milliseconds for which a page is valid. It is small, because the page shows when its monitors were
 * last checked.
 */
const MAX_VALID_MS = 60_000;

/**
 * Returns the number of milliseconds after which a page can look different even if its data is the same. This happens
 * at midnight in UTC, at the planned start or end of a maintenance, when a resolved disruption is no longer shown, and
 * at the times in `others`. The result is at least 1 ms and at most `maxMs`.
 */
export function validFor(
  disruptions: readonly Pick<Disruption, 'startedAt' | 'endsAt' | 'resolvedAt'>[],
  now: Date,
  others: readonly Date[] = [],
  maxMs: number = MAX_VALID_MS,
): number {
  const time = now.getTime();
  const midnight = (Math.floor(time / DAY_MS) + 1) * DAY_MS;
  const moments = disruptions.flatMap(({ startedAt, endsAt, resolvedAt }) => [
    startedAt.getTime(),
    endsAt?.getTime() ?? 0,
    resolvedAt ? resolvedAt.getTime() + SHOWN_AFTER_END_MS : 0,
  ]);
  const ahead = [midnight, ...moments, ...others.map((other) => other.getTime())].filter((moment) => moment > time);
  return Math.min(maxMs, ...ahead.map((moment) => moment - time));
}
