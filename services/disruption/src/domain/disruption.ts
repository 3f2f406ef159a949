import type { AutomaticText, DisruptionImpact, DisruptionType } from '@tocsin/enums';
import type { AffectedComponent } from './component.ts';

export const OPEN_STATUSES = ['investigating', 'identified', 'monitoring', 'scheduled', 'in_progress'] as const;
export type OpenStatus = (typeof OPEN_STATUSES)[number];

export const ENDED_STATUSES = ['resolved', 'completed'] as const;
export type EndedStatus = (typeof ENDED_STATUSES)[number];

export type DisruptionStatus = OpenStatus | EndedStatus;

/** Statuses of each type. A disruption may change to any status of its type at any time. */
export const STATUSES_OF: Readonly<Record<DisruptionType, readonly DisruptionStatus[]>> = {
  disruption: ['investigating', 'identified', 'monitoring', 'resolved'],
  maintenance: ['scheduled', 'in_progress', 'completed'],
};

/** Maximum length of a title in characters. */
export const MAX_TITLE = 255;
/** Maximum length, in characters, of a timeline entry written by a person. */
export const MAX_MESSAGE = 10_000;

/** Maximum number of components of a disruption. */
export const MAX_COMPONENTS = 1_000;

/** Who opened a disruption: a person, or the system because a monitor went down. */
export type Origin = { readonly kind: 'monitor'; readonly monitorId: string } | { readonly kind: 'person' };

/** Entry of a timeline. */
export interface DisruptionUpdate {
  readonly id: string;
  /** Status of the disruption from this entry on. */
  readonly status: DisruptionStatus;
  /** Text for visitors of status pages. */
  readonly body: string;
  /**
   * Results of the checks. Only the organization may see them, because they can contain internal addresses and
   * responses.
   */
  readonly explanation: string | undefined;
  /** Whether the system wrote the entry after a monitor event. */
  readonly automatic: boolean;
  /** Which text the system wrote; undefined for a person's text and for entries from older versions. */
  readonly automaticText: AutomaticText | undefined;
  readonly postedAt: Date;
  /** Mail address of the author. */
  readonly postedBy: string;
  /** Time at which the text was last changed; undefined if it was never changed. */
  readonly editedAt: Date | undefined;
  /** Whether notifications about the entry were suppressed. */
  readonly silent: boolean;
}

/** Who is taking care of a disruption, and since when. */
export interface Acknowledgement {
  readonly at: Date;
  /** Mail address of the user whose credential was used, or the name that a service sent. */
  readonly by: string;
}

interface Common {
  readonly id: string;
  readonly organizationId: string;
  readonly title: string;
  /** Whether the system wrote the title. Such a title contains the name of a monitor. */
  readonly automaticTitle: boolean;
  readonly type: DisruptionType;
  readonly impact: DisruptionImpact;
  readonly origin: Origin;
  readonly startedAt: Date;
  /** Planned end of a maintenance; undefined if unknown, or if the disruption has another type. */
  readonly endsAt: Date | undefined;
  /** Time of the next automatic start or completion of a maintenance; undefined if neither is planned. */
  readonly dueAt: Date | undefined;
  /** The timeline, newest first; never empty. */
  readonly updates: readonly DisruptionUpdate[];
  /** Affected components by severity, worst first. */
  readonly affectedComponents: readonly AffectedComponent[];
  /**
   * Status pages that the disruption is published to, including the pages of its components, in the order of
   * publication.
   */
  readonly statusPageIds: readonly string[];
  /**
   * Pages from which a person removed the disruption. The system does not publish the disruption to these pages again.
   */
  readonly hiddenPageIds: readonly string[];
  /** Acknowledgement; undefined before the first one, and after the disruption is reopened. */
  readonly acknowledgement: Acknowledgement | undefined;
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

/** Returns the components with their current status: all are operational once the disruption is resolved. */
export function componentsNow(disruption: Disruption): readonly AffectedComponent[] {
  const { affectedComponents } = disruption;
  if (isOpen(disruption)) return affectedComponents;
  return affectedComponents.map((component) => ({ ...component, status: 'operational' }));
}

export function isEnd(status: DisruptionStatus): status is EndedStatus {
  return status === 'resolved' || status === 'completed';
}

export function isOpen(disruption: Disruption): disruption is OpenDisruption {
  return disruption.resolvedAt === undefined;
}
