const DAY_MS = 86_400_000;

/** Number of days for which ended deliveries are retained. A replay cannot include older deliveries. */
export const REPLAY_DAYS = 30;
/** Maximum number of deliveries that one replay makes due again. If there are more, it chooses the oldest ones. */
export const MAX_REPLAYED = 1_000;

/** Returns why a replay cannot include the deliveries since a time; undefined if the time is valid. */
export function problemOfSince(since: Date, now: Date): string | undefined {
  if (since > now) return 'must not be in the future';
  if (since.getTime() < now.getTime() - REPLAY_DAYS * DAY_MS) return `must be at most ${REPLAY_DAYS} days ago`;
  return undefined;
}
