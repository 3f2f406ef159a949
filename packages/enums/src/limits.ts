/** Default limits for an organization: the maximum numbers of its resources and requests. */
export const DEFAULT_LIMITS = {
  monitors: 10_000,
  alert_channels: 200,
  webhook_subscriptions: 50,
  status_pages: 100,
  disruptions: 20_000,
  api_keys: 100,
  stats_per_minute: 120,
  reads_per_minute: 4_800,
  writes_per_minute: 2_400,
  write_bytes_per_day: 1_000_000_000,
};

export type LimitName = keyof typeof DEFAULT_LIMITS;

export type Limits = Readonly<Record<LimitName, number>>;

// The cast is valid because the object has exactly these keys.
export const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as readonly LimitName[];

/** Maximum value of a limit. In practice it means that there is no limit. */
export const MAX_LIMIT = 1_000_000_000_000;

export function isLimitName(text: string): text is LimitName {
  return Object.hasOwn(DEFAULT_LIMITS, text);
}

/** Converts values by name to limits. Missing values get their defaults, and unknown names are ignored. */
export function toLimits(values: Readonly<Record<string, unknown>>): Limits {
  const limits: Record<LimitName, number> = { ...DEFAULT_LIMITS };
  for (const name of LIMIT_NAMES) {
    const value = values[name];
    if (typeof value === 'number') limits[name] = value;
  }
  return limits;
}
