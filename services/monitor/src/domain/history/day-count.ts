/** Number of a monitor's checks on one day, by outcome and over all regions. */
export interface DayCount {
  readonly monitorId: string;
  readonly organizationId: string;
  readonly day: Date;
  /** Percentage of checks that passed, as the mean over regions. */
  readonly uptimePct: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly timeouts: number;
}
