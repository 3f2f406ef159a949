/** Counts of a day of a monitor, over all regions. */
export interface DayCount {
  readonly monitorId: string;
  readonly organizationId: string;
  readonly day: Date;
  /** Mean over regions of the share that passed, in percent. */
  readonly uptimePct: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly timeouts: number;
}
