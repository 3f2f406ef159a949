/**
 * Returns the offset of a monitor's rounds within its interval, in seconds with three decimal places. The offset
 * depends only on the monitor's id and interval. The offsets of monitors with the same interval are spread evenly over
 * the interval, which spreads the load.
 */
export function offsetOf(monitorId: string, intervalSeconds: number): number {
  // The last 48 bits of a UUID version 7 are random.
  return (Number.parseInt(monitorId.replaceAll('-', '').slice(-12), 16) % (intervalSeconds * 1000)) / 1000;
}

/**
 * Milliseconds from the opening of a round, when its jobs are sent, to the time of the round. Checkers wait until the
 * time of the round, so that checks start on time although rounds are opened in batches.
 */
export const OPEN_AHEAD_MS = 1_000;

/** Maximum delay of a round's start, in milliseconds. Checkers drop jobs that arrive later. */
const START_WITHIN_MS = 15_000;

/**
 * Returns the time of the round for a monitor that was due at `dueAt`. This is `dueAt`, or `now` if checkers would drop
 * the jobs of a round at `dueAt` as too late. After an outage, every monitor is thus checked immediately instead of at
 * its next regular time, unless too many are due (see catchUpTimeOf()).
 */
export function roundTimeOf(dueAt: Date, now: Date): Date {
  return now.getTime() - dueAt.getTime() > START_WITHIN_MS ? now : dueAt;
}

const CATCH_UP_SECONDS = 60;

/**
 * Returns the time at which a monitor is checked after an outage in which the rounds of many monitors were missed: its
 * next regular time, or a time within the next minute if its interval is longer. The times are spread by the offsets,
 * because the checkers can't check all monitors at once.
 */
export function catchUpTimeOf(
  { intervalSeconds, offsetSeconds }: { readonly intervalSeconds: number; readonly offsetSeconds: number },
  now: Date,
): Date {
  const stepMs = Math.min(CATCH_UP_SECONDS, intervalSeconds) * 1_000;
  const offsetMs = Math.round(offsetSeconds * 1_000);
  return new Date(Math.ceil((now.getTime() - offsetMs) / stepMs) * stepMs + offsetMs);
}

/** Maximum transit time of a result, in milliseconds, including restarts of the checker and of this service. */
const ARRIVE_WITHIN_MS = 15_000;

/**
 * Returns the latest time at which the checks of a round may start, and the deadline of the round. At the deadline, the
 * round is decided with the results that have arrived.
 */
export function limitsOf(roundAt: Date, timeoutMs: number): { startBefore: Date; deadline: Date } {
  const startBefore = roundAt.getTime() + START_WITHIN_MS;
  return { startBefore: new Date(startBefore), deadline: new Date(startBefore + timeoutMs + ARRIVE_WITHIN_MS) };
}
