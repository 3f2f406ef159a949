import type { OpenDisruption } from './disruption.ts';

/** The fields of a monitor that its disruption needs. */
export interface MonitorName {
  readonly id: string;
  readonly name: string;
}

interface EventBase {
  readonly monitor: MonitorName;
  /** When it happened. */
  readonly at: Date;
}

export type WentDown = EventBase & {
  readonly kind: 'went_down';
  /** Id of the outage; the disruption gets the same. */
  readonly outageId: string;
  /** Reason for the evaluator's decision. */
  readonly explanation: string;
};

/** The monitor is no longer known to be down: it recovered, or it is not checked any more. */
export type DownEnded = EventBase & { readonly kind: 'recovered' | 'started_over' | 'disabled' | 'deleted' };

export type MonitorEvent = WentDown | DownEnded;

/** What to do after an event. `leave`: nothing. */
export type Decision =
  | { readonly kind: 'leave' }
  | { readonly kind: 'open'; readonly event: WentDown }
  | { readonly kind: 'resolve'; readonly event: DownEnded; readonly disruption: OpenDisruption };

/**
 * Decides what to do with a monitor's automatic disruption: at most one is open, whatever is repeated, and none while
 * the monitor is not known to be down (spec: Disruptions and incidents).
 */
export function decide(open: OpenDisruption | undefined, event: MonitorEvent): Decision {
  if (event.kind === 'went_down') return open ? { kind: 'leave' } : { kind: 'open', event };
  return open ? { kind: 'resolve', event, disruption: open } : { kind: 'leave' };
}
