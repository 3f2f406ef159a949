import type { ComponentStatus, DisruptionImpact, DisruptionStatus, DisruptionType } from '@tocsin/enums';

/** This service's copy of a disruption: what the public page shows, without the authors' mail addresses. */
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
  /** Undefined while it is open. */
  readonly resolvedAt: Date | undefined;
  /** The timeline, newest first. */
  readonly updates: readonly DisruptionUpdate[];
  readonly components: readonly AffectedComponent[];
  /** Pages that it is published to, those of its components included. */
  readonly statusPageIds: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface DisruptionUpdate {
  readonly id: string;
  readonly status: DisruptionStatus;
  readonly body: string;
  /** Whether the system wrote it: visitors get a text that names components instead of monitors. */
  readonly automatic: boolean;
  readonly postedAt: Date;
}

export interface AffectedComponent {
  readonly id: string;
  /** Its name when the disruption was linked to it. */
  readonly name: string;
  readonly status: ComponentStatus;
  readonly statusPageId: string;
}

/** Statuses in which a disruption affects its components: scheduled maintenance does not yet. */
export const STATUSES_IN_FORCE: readonly DisruptionStatus[] = [
  'investigating',
  'identified',
  'monitoring',
  'in_progress',
];
