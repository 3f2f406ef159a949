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

/** The monitor works again, or a person no longer wants it to be checked. */
export type DownEnded = EventBase & { readonly kind: 'recovered' | 'disabled' | 'deleted' };

/** The system disabled the monitor: nobody knows from then on whether it works. */
export type AutoDisabled = EventBase & {
  readonly kind: 'auto_disabled';
  readonly reason: 'down_too_long' | 'too_many_disruptions';
};

/** The monitor was enabled again, and has not been checked yet. */
export type StartedOver = EventBase & { readonly kind: 'started_over' };

export type MonitorEvent = WentDown | DownEnded | AutoDisabled | StartedOver;

/** What to do after an event. `leave`: nothing. */
export type Decision =
  | { readonly kind: 'leave' }
  | { readonly kind: 'open'; readonly event: WentDown }
  | { readonly kind: 'resolve'; readonly event: DownEnded; readonly disruption: OpenDisruption }
  | { readonly kind: 'note'; readonly event: AutoDisabled; readonly disruption: OpenDisruption };

/**
 * Decides what to do with a monitor's automatic disruption: at most one is open, whatever is repeated. It stays open
 * until the monitor recovers or a person ends its checks (spec: Disruptions and incidents, Auto-disable).
 */
export function decide(open: OpenDisruption | undefined, event: MonitorEvent): Decision {
  if (event.kind === 'went_down') return open ? { kind: 'leave' } : { kind: 'open', event };
  if (!open || event.kind === 'started_over') return { kind: 'leave' };
  if (event.kind === 'auto_disabled') return { kind: 'note', event, disruption: open };
  return { kind: 'resolve', event, disruption: open };
}
