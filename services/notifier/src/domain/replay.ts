const DAY_MS = 86_400_000;

/** Deliveries are stored for 30 days after they ended. */
export const REPLAY_DAYS = 30;
/** Deliveries that one replay makes due again, the oldest ones. */
export const MAX_REPLAYED = 1_000;

/** Returns what is wrong with the time that a replay begins at; undefined when nothing is. */
export function problemOfSince(since: Date, now: Date): string | undefined {
  if (since > now) return 'must not be in the future';
  if (since.getTime() < now.getTime() - REPLAY_DAYS * DAY_MS) return `must be at most ${REPLAY_DAYS} days ago`;
  return undefined;
}
