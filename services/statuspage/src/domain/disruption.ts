import type { AutomaticText, ComponentStatus, DisruptionImpact, DisruptionStatus, DisruptionType } from '@tocsin/enums';

/** Copy of a disruption with the content that public pages show. It does not contain the authors' email addresses. */
export interface Disruption {
  readonly id: string;
  readonly organizationId: string;
  readonly title: string;
  /** Whether the system wrote the title. Such a title contains the name of a monitor. */
  readonly automaticTitle: boolean;
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
  /** Pages that the disruption is published to, including the pages of its components. */
  readonly statusPageIds: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface DisruptionUpdate {
  readonly id: string;
  readonly status: DisruptionStatus;
  readonly body: string;
  /** Whether the system wrote the entry. */
  readonly automatic: boolean;
  /**
   * Kind of the text, if the system wrote it; undefined for entries from older versions. Visitors see such a text in
   * the page's language, without names of monitors.
   */
  readonly automaticText: AutomaticText | undefined;
  readonly postedAt: Date;
  /** Time at which the text was last changed; undefined if it never was. */
  readonly editedAt: Date | undefined;
  /** Whether no notification was sent about the entry. */
  readonly silent: boolean;
}

export interface AffectedComponent {
  readonly id: string;
  /** Current name of the component; once the disruption has ended, the name that it had then. */
  readonly name: string;
  /** Status of the component while the disruption is open. */
  readonly status: ComponentStatus;
  readonly statusPageId: string;
}

/** Limits on the disruptions that a page shows, so that page views stay cheap. */
export const PAGE_LIMITS = {
  open: 100,
  ended: 50,
  updatesOfOne: 20,
  /**
   * Maximum total size in bytes of all timeline entries as HTML, including markup. `componentBytes` is the same limit
   * for the affected components.
   */
  updateBytes: 256 * 1024,
  componentBytes: 256 * 1024,
  /** Estimated size in bytes of the markup of one entry or component. */
  markupBytes: 256,
};

/**
 * A disruption, reduced to the timeline entries and components that a page shows, and with the impact that it has on
 * this page.
 */
export interface ShownDisruption extends Disruption {
  /** Whether the timeline has entries that are older than those in `updates`. */
  readonly hasOlderUpdates: boolean;
  /** Number of components on the page that are affected but not in `components`. */
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

/** Selects which of a page's disruptions to list. */
export interface Selection {
  /** Excludes disruptions that ended before this time. */
  readonly since: Date;
  /**
   * Excludes disruptions that started at this time or later, unless they ended before it, such as maintenance that was
   * called off; undefined for no limit.
   */
  readonly until?: Date | undefined;
  /** Id of the only disruption to list; undefined for all. */
  readonly id?: string | undefined;
  /** Id of a component that the disruptions affect; undefined for no restriction. */
  readonly componentId?: string | undefined;
}

/**
 * Statuses in which a disruption affects its components. A maintenance that is only scheduled does not affect them yet.
 */
export const STATUSES_IN_FORCE: readonly DisruptionStatus[] = [
  'investigating',
  'identified',
  'monitoring',
  'in_progress',
];

/** Returns the components of a page that a disruption affects. */
export function affectedOn({ components }: Pick<Disruption, 'components'>, pageId: string): AffectedComponent[] {
  return components.filter(({ statusPageId }) => statusPageId === pageId);
}
