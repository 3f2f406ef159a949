/** Number of pings with one token in a minute that starts with the first of them. */
export interface PingWindow {
  readonly at: Date;
  readonly count: number;
}

const WINDOW_MS = 60_000;
const MAX_PINGS = 6;

/** Counts a ping. Returns the new window, and whether the rate limit allows the ping. */
export function countPing(window: PingWindow, now: Date): { window: PingWindow; allowed: boolean } {
  // The clocks of replicas may differ slightly in both directions; a clock that has jumped starts a new window.
  const isOpen = Math.abs(now.getTime() - window.at.getTime()) < WINDOW_MS;
  if (!isOpen) return { window: { at: now, count: 1 }, allowed: true };
  // A full window stays unchanged, so that excess pings cause no writes.
  if (window.count >= MAX_PINGS) return { window, allowed: false };
  return { window: { ...window, count: window.count + 1 }, allowed: true };
}
