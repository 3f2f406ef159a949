/**
 * Milliseconds from the request for a deletion until the deletion. During this period, the deletion can be canceled.
 */
export const GRACE_MS = 14 * 24 * 3_600_000;

/** Returns the day of a time in UTC, such as 2026-12-07. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Returns the error message for a request with a credential of an organization that is stopped until its deletion. */
export function stoppedMessage(deleteAt: Date): string {
  return `the organization is stopped and will be deleted on ${dayOf(deleteAt)}; an owner can cancel the deletion until then`;
}
