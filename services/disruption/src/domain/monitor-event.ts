import type { OpenDisruption } from './disruption.ts';

/** A monitor as far as its disruption is concerned. */
export interface MonitorName {
  readonly id: string;
  readonly name: string;
}

interface Fact {
  readonly monitor: MonitorName;
  /** When it became true. */
  readonly at: Date;
}

export type WentDown = Fact & {
  readonly kind: 'went_down';
  /** Of the outage that begins; the disruption has it, too. */
  readonly outageId: string;
  /** Why the evaluator decided so. */
  readonly explanation: string;
};

/** Whatever means that a monitor is no longer known to be down: it works, or nobody looks any more. */
export type DownEnded = Fact & { readonly kind: 'recovered' | 'started_over' | 'disabled' | 'deleted' };

export type MonitorFact = WentDown | DownEnded;

/** What a fact asks for. `leave`: everything is as it should be. */
export type Decision =
  | { readonly kind: 'leave' }
  | { readonly kind: 'open'; readonly fact: WentDown }
  | { readonly kind: 'resolve'; readonly fact: DownEnded; readonly disruption: OpenDisruption };

/**
 * Decides about a monitor's automatic disruption: there is at most one open, whatever repeats, and none while the
 * monitor is not known to be down (spec: Disruptions and incidents).
 */
export function decide(open: OpenDisruption | undefined, fact: MonitorFact): Decision {
  if (fact.kind === 'went_down') return open ? { kind: 'leave' } : { kind: 'open', fact };
  return open ? { kind: 'resolve', fact, disruption: open } : { kind: 'leave' };
}
