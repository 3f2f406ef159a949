/** Pings of one token inside a minute, which begins with the first of them. */
export interface PingWindow {
  readonly at: Date;
  readonly count: number;
}

const WINDOW_MS = 60_000;
const MAX_PINGS = 6;

/** Returns the window with one more ping; `allowed` unless there were too many (spec: Heartbeat endpoint). */
export function countPing(window: PingWindow, now: Date): { window: PingWindow; allowed: boolean } {
  // Replicas' clocks differ a little, either way; one that jumped begins a new window.
  const isOpen = Math.abs(now.getTime() - window.at.getTime()) < WINDOW_MS;
  if (!isOpen) return { window: { at: now, count: 1 }, allowed: true };
  // A full window stays unchanged: excess pings cause no writes.
  if (window.count >= MAX_PINGS) return { window, allowed: false };
  return { window: { ...window, count: window.count + 1 }, allowed: true };
}
