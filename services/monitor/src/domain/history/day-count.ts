/** Numbers of a monitor's checks on one day, by outcome. Checks from all regions are included. */
export interface DayCount {
  readonly monitorId: string;
  readonly organizationId: string;
  readonly day: Date;
  /** Mean of the regions' percentages of passed checks. */
  readonly uptimePct: number;
  readonly passed: number;
  readonly failed: number;
  readonly errors: number;
  readonly timeouts: number;
}
