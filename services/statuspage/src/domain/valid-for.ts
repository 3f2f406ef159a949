import type { Disruption } from './disruption.ts';

/** Time after their end for which a page shows disruptions. */
export const SHOWN_AFTER_END_MS = 14 * 24 * 3_600_000;

const DAY_MS = 24 * 3_600_000;

/** Maximum time for which a page is valid. The times at which its monitors were checked last are shown on it. */
const MAX_VALID_MS = 60_000;

/**
 * Returns the milliseconds until time alone changes a page: until the next midnight in UTC, the planned start or end of
 * a maintenance, or the moment at which a resolved disruption is no longer shown; at most a minute, at least 1 ms.
 */
export function validFor(
  disruptions: readonly Pick<Disruption, 'startedAt' | 'endsAt' | 'resolvedAt'>[],
  now: Date,
): number {
  const time = now.getTime();
  const midnight = (Math.floor(time / DAY_MS) + 1) * DAY_MS;
  const moments = disruptions.flatMap(({ startedAt, endsAt, resolvedAt }) => [
    startedAt.getTime(),
    endsAt?.getTime() ?? 0,
    resolvedAt ? resolvedAt.getTime() + SHOWN_AFTER_END_MS : 0,
  ]);
  const ahead = [midnight, ...moments].filter((moment) => moment > time);
  return Math.min(MAX_VALID_MS, ...ahead.map((moment) => moment - time));
}
