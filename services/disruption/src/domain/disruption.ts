import type { AffectedComponent } from './component.ts';

export const DISRUPTION_TYPES = ['disruption', 'maintenance'] as const;
export type DisruptionType = (typeof DISRUPTION_TYPES)[number];

export const IMPACTS = ['minor', 'major', 'critical'] as const;
export type Impact = (typeof IMPACTS)[number];

export const OPEN_STATUSES = ['investigating', 'identified', 'monitoring', 'scheduled', 'in_progress'] as const;
export type OpenStatus = (typeof OPEN_STATUSES)[number];

export const ENDED_STATUSES = ['resolved', 'completed'] as const;
export type EndedStatus = (typeof ENDED_STATUSES)[number];

export type DisruptionStatus = OpenStatus | EndedStatus;

/** Who opened it: the system, after a monitor went down, or a person. */
export type Origin = { readonly kind: 'monitor'; readonly monitorId: string } | { readonly kind: 'person' };

/** One entry of a timeline. */
export interface DisruptionUpdate {
  readonly id: string;
  /** What the disruption's status is from this entry on. */
  readonly status: DisruptionStatus;
  /** Text for visitors. */
  readonly body: string;
  readonly postedAt: Date;
  /** Mail address. */
  readonly postedBy: string;
}

interface Common {
  readonly id: string;
  readonly organizationId: string;
  readonly title: string;
  readonly type: DisruptionType;
  readonly impact: Impact;
  readonly origin: Origin;
  readonly startedAt: Date;
  /** The timeline, newest first; never empty. */
  readonly updates: readonly DisruptionUpdate[];
  /** Worst first. */
  readonly affectedComponents: readonly AffectedComponent[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface OpenDisruption extends Common {
  readonly status: OpenStatus;
  readonly resolvedAt: undefined;
}

export interface EndedDisruption extends Common {
  readonly status: EndedStatus;
  readonly resolvedAt: Date;
}

export type Disruption = OpenDisruption | EndedDisruption;

export function isOpen(disruption: Disruption): disruption is OpenDisruption {
  return disruption.resolvedAt === undefined;
}
