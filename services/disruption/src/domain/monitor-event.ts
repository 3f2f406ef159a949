import type { OpenDisruption } from './disruption.ts';

/** Fields of a monitor that are used in its disruption. */
export interface MonitorName {
  readonly id: string;
  readonly name: string;
}

interface EventBase {
  readonly monitor: MonitorName;
  /** Time at which the monitor changed. */
  readonly at: Date;
}

export type WentDown = EventBase & {
  readonly kind: 'went_down';
  /** Id of the outage, which becomes the id of the disruption; undefined in events of an earlier version. */
  readonly outageId: string | undefined;
  /** Human-readable reason why the monitor counts as down. */
  readonly explanation: string;
};

export type WentDownWithId = WentDown & { readonly outageId: string };

/** Event that ends the downtime: the monitor recovered, or a person disabled or deleted it. */
export type DownEnded = EventBase & { readonly kind: 'recovered' | 'disabled' | 'deleted' };

/** Event of a monitor that the system disabled. From then on it is unknown whether the monitor is still down. */
export type AutoDisabled = EventBase & {
  readonly kind: 'auto_disabled';
  readonly reason: 'down_too_long' | 'too_many_disruptions';
};

/** Event of a monitor that was enabled again and has not been checked yet. */
export type StartedOver = EventBase & { readonly kind: 'started_over' };

export type MonitorEvent = WentDown | DownEnded | AutoDisabled | StartedOver;

/** Action after an event; `leave` changes nothing, `replace` resolves the open disruption and opens another one. */
export type Decision =
  | { readonly kind: 'leave' }
  | { readonly kind: 'open'; readonly event: WentDown }
  | { readonly kind: 'replace'; readonly event: WentDown; readonly disruption: OpenDisruption }
  | { readonly kind: 'resolve'; readonly event: DownEnded; readonly disruption: OpenDisruption }
  | { readonly kind: 'note'; readonly event: AutoDisabled; readonly disruption: OpenDisruption };

/**
 * Returns the action for a monitor's automatic disruption after an event. At most one disruption is open, even if
 * events are repeated. The disruption stays open until the monitor recovers or has another outage, or until a person
 * disables or deletes the monitor.
 */
export function decide(open: OpenDisruption | undefined, event: MonitorEvent): Decision {
  if (event.kind === 'went_down') {
    if (!open) return { kind: 'open', event };
    const isRepeated = event.outageId === undefined || event.outageId === open.id;
    return isRepeated ? { kind: 'leave' } : { kind: 'replace', event, disruption: open };
  }
  if (!open || event.kind === 'started_over') return { kind: 'leave' };
  if (event.kind === 'auto_disabled') return { kind: 'note', event, disruption: open };
  return { kind: 'resolve', event, disruption: open };
}
