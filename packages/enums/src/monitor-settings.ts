/** Bounds and defaults of the numbers that configure a monitor, by their names in the API. */
export const MONITOR_SETTINGS = {
  interval_seconds: { minimum: 30, maximum: 86_400, default: 180 },
  timeout_ms: { minimum: 1_000, maximum: 60_000, default: 10_000 },
  confirm_down_minutes: { minimum: 0, maximum: 30, default: 1 },
  confirm_up_minutes: { minimum: 0, maximum: 30, default: 3 },
  confirm_down_after: { minimum: 1, maximum: 10, default: 3 },
  confirm_up_after: { minimum: 1, maximum: 10, default: 1 },
} as const;

/** Alert channels of a monitor. */
export const MAX_CHANNELS_OF_MONITOR = 50;
