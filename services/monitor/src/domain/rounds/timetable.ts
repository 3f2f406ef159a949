/**
 * Where a monitor's rounds lie inside its interval, in seconds: stable for the monitor and even over all of them, so
 * that ten thousand monitors of a minute make an even load.
 */
export function offsetOf(monitorId: string, intervalSeconds: number): number {
  // The last 48 bits of a UUID version 7 are random.
  return Number.parseInt(monitorId.replaceAll('-', '').slice(-12), 16) % intervalSeconds;
}

/** How long after its time a round may still begin; a job that comes later is dropped by the checker. */
const START_WITHIN_MS = 15_000;

/**
 * The time of the round for a monitor that was due: that very time, or now when it is so long ago that no checker would
 * begin. After an outage every monitor is checked at once, instead of at its next regular time.
 */
export function roundTimeOf(dueAt: Date, now: Date): Date {
  return now.getTime() - dueAt.getTime() > START_WITHIN_MS ? now : dueAt;
}

/** How long a result may be on its way, a checker's and our own restart included. */
const ARRIVE_WITHIN_MS = 15_000;

/** Until when a round may begin, and when it is decided with what there is. */
export function limitsOf(roundAt: Date, timeoutMs: number): { startBefore: Date; deadline: Date } {
  const startBefore = roundAt.getTime() + START_WITHIN_MS;
  return { startBefore: new Date(startBefore), deadline: new Date(startBefore + timeoutMs + ARRIVE_WITHIN_MS) };
}
