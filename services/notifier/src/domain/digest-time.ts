const WEEK_MS = 7 * 24 * 3_600_000;
/** Any Monday at 09:00 UTC. */
const FIRST = Date.UTC(1970, 0, 5, 9);

/** Returns the time at which the latest digest was due: the last Monday at 09:00 UTC, which may be `now`. */
export function lastDigestTime(now: Date): Date {
  return new Date(now.getTime() - ((((now.getTime() - FIRST) % WEEK_MS) + WEEK_MS) % WEEK_MS));
}

/**
 * Returns the time one week before a digest. The digest lists monitors that have had no channel at least since that
 * time.
 */
export function listedSince(due: Date): Date {
  return new Date(due.getTime() - WEEK_MS);
}
