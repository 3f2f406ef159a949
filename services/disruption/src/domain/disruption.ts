import type { DisruptionImpact, DisruptionType } from '@tocsin/enums';
import type { AffectedComponent } from './component.ts';

export const OPEN_STATUSES = ['investigating', 'identified', 'monitoring', 'scheduled', 'in_progress'] as const;
export type OpenStatus = (typeof OPEN_STATUSES)[number];

export const ENDED_STATUSES = ['resolved', 'completed'] as const;
export type EndedStatus = (typeof ENDED_STATUSES)[number];

export type DisruptionStatus = OpenStatus | EndedStatus;

/** The statuses of each type; a disruption may change to any of them at any time. */
export const STATUSES_OF: Readonly<Record<DisruptionType, readonly DisruptionStatus[]>> = {
  disruption: ['investigating', 'identified', 'monitoring', 'resolved'],
  maintenance: ['scheduled', 'in_progress', 'completed'],
};

/** Characters of a title, and of a person's timeline entry. */
export const MAX_TITLE = 255;
export const MAX_MESSAGE = 10_000;

/** Entries of a timeline, besides the one that ends a disruption: that is always possible. */
export const MAX_UPDATES = 200;

/** Components that one disruption can affect. */
export const MAX_COMPONENTS = 1_000;

/** What opened it: a monitor that went down, or a person. */
export type Origin = { readonly kind: 'monitor'; readonly monitorId: string } | { readonly kind: 'person' };

/** One entry of a timeline. */
export interface DisruptionUpdate {
  readonly id: string;
  /** The disruption's status from this entry on. */
  readonly status: DisruptionStatus;
  /** Text for visitors. */
  readonly body: string;
  /** What the checks saw, for the owners only: it can contain inside addresses and responses. */
  readonly explanation: string | undefined;
  /** Whether the system wrote it after an event of a monitor. */
  readonly automatic: boolean;
  readonly postedAt: Date;
  /** Mail address. */
  readonly postedBy: string;
}

/** Somebody is taking care of a disruption. */
export interface Acknowledgement {
  readonly at: Date;
  /** Mail address of a credential's user, or the name that a service sent. */
  readonly by: string;
}

interface Common {
  readonly id: string;
  readonly organizationId: string;
  readonly title: string;
  readonly type: DisruptionType;
  readonly impact: DisruptionImpact;
  readonly origin: Origin;
  readonly startedAt: Date;
  /** Planned end of a maintenance; undefined if there is none, and for disruptions. */
  readonly endsAt: Date | undefined;
  /** When a maintenance starts or completes automatically; undefined while people decide. */
  readonly dueAt: Date | undefined;
  /** The timeline, newest first; never empty. */
  readonly updates: readonly DisruptionUpdate[];
  /** Worst first. */
  readonly affectedComponents: readonly AffectedComponent[];
  /** Pages that it is published to, in the order of publication, including those of its components. */
  readonly statusPageIds: readonly string[];
  /** Undefined until somebody acknowledges it, and again when it is reopened. */
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

/** Returns the components with their current status: all operational once the disruption is resolved. */
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
