/**
 * Everything that is recorded during a soak. Times are in milliseconds, from the clock of the test process, which
 * faults do not change.
 */
export interface Evidence {
  readonly targets: readonly string[];
  /** End of the last fault. */
  readonly calmFrom: number;
  /** Outages of targets that are checked by HTTP. */
  readonly outages: readonly Outage[];
  /** Responses of these targets to checks. */
  readonly responses: readonly Response[];
  /** Jobs that ping a heartbeat monitor, with their pings. */
  readonly jobs: readonly JobRecord[];
  /** State changes of every monitor, as the API lists them, oldest first for each target. */
  readonly transitions: readonly TransitionRecord[];
  /** Automatic disruptions, as the API lists them. */
  readonly disruptions: readonly DisruptionRecord[];
  /** Requests to the receiver of alerts, with repeats. */
  readonly deliveries: readonly Delivery[];
  /** Views of the status page. */
  readonly views: readonly PageView[];
}

export interface Outage {
  readonly target: string;
  /** Status with which the target responds during this outage. Each outage of a target has a different status. */
  readonly status: number;
  readonly from: number;
  /**
   * Time at which the outage was ended: some time after the product had noticed it, or, if the product never noticed
   * it, a fixed time after the end of the last fault.
   */
  readonly to: number;
  /** Time at which the API first showed that the monitor is down; undefined if it never did. */
  readonly noticedAt: number | undefined;
  /** Time at which the API first showed that the monitor is up again; undefined if it never did. */
  readonly overAt: number | undefined;
}

export interface Response {
  readonly target: string;
  readonly at: number;
  readonly status: number;
}

export interface JobRecord {
  readonly target: string;
  /** Milliseconds without a ping after which the monitor fails. */
  readonly failsAfterMs: number;
  /** Pings that the product has confirmed or may have received, in the order in which they were sent. */
  readonly pings: readonly Ping[];
  /** Periods in which the job sent no pings. A pause ends in the same way as an outage. */
  readonly pauses: readonly Omit<Outage, 'target' | 'status'>[];
}

export interface Ping {
  readonly sentAt: number;
  /** Time at which the ping was confirmed or given up. */
  readonly endedAt: number;
  /** False if the response was an error, was too late or never came: the product may have received the ping or not. */
  readonly isConfirmed: boolean;
}

export interface TransitionRecord {
  readonly target: string;
  readonly state: string;
  readonly error: string;
}

export interface DisruptionRecord {
  readonly id: string;
  readonly target: string;
  readonly isResolved: boolean;
}

export interface Delivery {
  /** Value of `webhook-id`. */
  readonly id: string;
  readonly event: string;
  readonly target: string;
  readonly disruptionId: string | undefined;
  readonly error: string;
  readonly at: number;
}

export interface PageView {
  readonly at: number;
  /** Whether the page says that it may be outdated, or that nothing is checked. */
  readonly isQualified: boolean;
  /** Names of the components that the page shows as operational. */
  readonly green: readonly string[];
}
