/** Number of pings with one token in the current window. A window is a minute long and starts with its first ping. */
export interface PingWindow {
  readonly at: Date;
  readonly count: number;
}

const WINDOW_MS = 60_000;
const MAX_PINGS = 6;

/** Counts a ping. Returns the new window, and whether the rate limit allows the ping. */
export function countPing(window: PingWindow, now: Date): { window: PingWindow; allowed: boolean } {
  // `now` may be slightly before `window.at`, because the clocks of replicas differ. If a clock has jumped, a new
  // window starts.
  const isOpen = Math.abs(now.getTime() - window.at.getTime()) < WINDOW_MS;
  if (!isOpen) return { window: { at: now, count: 1 }, allowed: true };
  // A full window stays unchanged, so that excess pings cause no writes.
  if (window.count >= MAX_PINGS) return { window, allowed: false };
  return { window: { ...window, count: window.count + 1 }, allowed: true };
}
