import type { ComponentStatus, DisruptionImpact, DisruptionStatus, DisruptionType } from '@tocsin/enums';

/** Copy of a disruption: the content that public pages show, without the authors' email addresses. */
export interface Disruption {
  readonly id: string;
  readonly organizationId: string;
  readonly title: string;
  readonly type: DisruptionType;
  readonly status: DisruptionStatus;
  readonly impact: DisruptionImpact;
  readonly autoCreated: boolean;
  readonly startedAt: Date;
  /** Planned end of a maintenance. */
  readonly endsAt: Date | undefined;
  /** Undefined while the disruption is open. */
  readonly resolvedAt: Date | undefined;
  /** Timeline, newest first. */
  readonly updates: readonly DisruptionUpdate[];
  readonly components: readonly AffectedComponent[];
  /** Pages that it is published to, including those of its components. */
  readonly statusPageIds: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface DisruptionUpdate {
  readonly id: string;
  readonly status: DisruptionStatus;
  readonly body: string;
  /** Whether the system wrote the entry. Visitors then get a text that names components instead of monitors. */
  readonly automatic: boolean;
  readonly postedAt: Date;
}

export interface AffectedComponent {
  readonly id: string;
  /** Name of the component when the disruption was linked to it. */
  readonly name: string;
  readonly status: ComponentStatus;
  readonly statusPageId: string;
}

/** Statuses in which a disruption affects its components. Scheduled maintenance does not affect them yet. */
export const STATUSES_IN_FORCE: readonly DisruptionStatus[] = [
  'investigating',
  'identified',
  'monitoring',
  'in_progress',
];
