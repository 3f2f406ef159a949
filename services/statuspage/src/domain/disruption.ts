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

/** What a page shows of its disruptions, so that a view of any page is cheap. */
export const PAGE_LIMITS = {
  open: 100,
  ended: 50,
  updatesOfOne: 20,
  /** Bytes of all timeline entries, and of all affected components, as HTML with their markup. */
  updateBytes: 256 * 1024,
  componentBytes: 256 * 1024,
  /** What the markup of one entry or component is taken to need. */
  markupBytes: 256,
};

/** A disruption with what a page shows of it. */
export interface ShownDisruption extends Disruption {
  /** Whether its timeline has entries older than those in `updates`. */
  readonly hasOlderUpdates: boolean;
  /** Number of its components on the page that are not in `components`. */
  readonly omittedComponents: number;
}

export interface PageDisruptions {
  /** Open and recently resolved disruptions, newest first. */
  readonly shown: readonly ShownDisruption[];
  /** Number of open disruptions that are left out. */
  readonly omittedOpen: number;
  /** Number of recently resolved disruptions that are left out. */
  readonly omittedEnded: number;
}

/** Statuses in which a disruption affects its components. Scheduled maintenance does not affect them yet. */
export const STATUSES_IN_FORCE: readonly DisruptionStatus[] = [
  'investigating',
  'identified',
  'monitoring',
  'in_progress',
];
