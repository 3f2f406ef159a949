const WEEK_MS = 7 * 24 * 3_600_000;
/** A Monday, 09:00 UTC. */
const FIRST = Date.UTC(1970, 0, 5, 9);

/** Returns when the current digest was due: the last Monday, 09:00 UTC, which may be `now` itself (spec: Mail). */
export function lastDigestTime(now: Date): Date {
  return new Date(now.getTime() - ((((now.getTime() - FIRST) % WEEK_MS) + WEEK_MS) % WEEK_MS));
}

/**
 * Returns the latest time since which a monitor must have had no channel to be listed in the digest that is due at
 * `due`.
 */
export function listedSince(due: Date): Date {
  return new Date(due.getTime() - WEEK_MS);
}
