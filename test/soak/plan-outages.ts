export interface PlannedOutage {
  /** Milliseconds for which the target works before the outage. */
  readonly afterMs: number;
  /** Milliseconds for which the outage continues after it is detected. */
  readonly lastsMs: number;
}

export interface OutagePlan {
  readonly targets: number;
  /** Number of outages of each target. Must be less than 11, because a monitor is disabled after 11 outages. */
  readonly each: number;
  readonly afterMs: readonly [number, number];
  readonly lastsMs: readonly [number, number];
}

/** Plans the outages of each target. The same sequence of random numbers results in the same plan. */
export function planOutages({ targets, each, afterMs, lastsMs }: OutagePlan, random: () => number): PlannedOutage[][] {
  const between = ([least, most]: readonly [number, number]) => Math.round(least + random() * (most - least));
  return Array.from({ length: targets }, () =>
    Array.from({ length: each }, () => ({ afterMs: between(afterMs), lastsMs: between(lastsMs) })),
  );
}
