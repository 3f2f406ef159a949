const WEEK_MS = 7 * 24 * 3_600_000;
/** A Monday, 09:00 UTC. */
const FIRST = Date.UTC(1970, 0, 5, 9);

/** When the digest that is out now was due: the last Monday, 09:00 UTC (spec: Mail), this very moment included. */
export function lastDigestTime(now: Date): Date {
  return new Date(now.getTime() - ((((now.getTime() - FIRST) % WEEK_MS) + WEEK_MS) % WEEK_MS));
}

/** A monitor that has had no channel since then stands in the digest that is due at this time. */
export function listedSince(due: Date): Date {
  return new Date(due.getTime() - WEEK_MS);
}
