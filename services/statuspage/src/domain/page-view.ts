import type { ComponentStatus } from '@tocsin/enums';
import { type Disruption, STATUSES_IN_FORCE } from './disruption.ts';
import {
  type DisruptionInForce,
  type MonitorCondition,
  type PageStatus,
  pageStatus,
  type ShownStatus,
  shownStatus,
} from './shown-status.ts';
import type { MonitorLink } from './tree.ts';

interface LinkedComponent {
  readonly id: string;
  readonly status: ComponentStatus;
  readonly monitors: readonly MonitorLink[];
}

/** Statuses of a page and of its components as visitors see them. */
export interface PageView {
  readonly status: PageStatus;
  /** Status of each component, by component id. */
  readonly statuses: ReadonlyMap<string, ShownStatus>;
}

/**
 * Returns the statuses that visitors see. `monitors` has the last known condition of each linked monitor. `disruptions`
 * may be incomplete, but must contain the open disruptions with the worst impact.
 */
export function viewPage(
  components: readonly LinkedComponent[],
  monitors: ReadonlyMap<string, MonitorCondition>,
  disruptions: readonly Disruption[],
): PageView {
  const statuses = new Map(
    components.map(({ id, status, monitors: links }) => {
      const linked = links.map(({ monitorId }) => monitors.get(monitorId));
      return [id, shownStatus([status], linked)] as const;
    }),
  );
  const inForce = disruptions.filter(({ status }) => STATUSES_IN_FORCE.includes(status));
  return { status: pageStatus([...statuses.values()], inForce), statuses };
}

/** View of a page that was deleted before its view was read. */
export const NO_VIEW: PageView = { status: 'no_components', statuses: new Map() };

/** Data from which the statuses of several pages are determined. */
export interface ViewInputs {
  readonly components: readonly {
    readonly id: string;
    readonly pageId: string;
    readonly status: ComponentStatus;
    readonly monitorIds: readonly string[];
  }[];
  /** Last known condition of each linked monitor, by monitor id. */
  readonly monitors: ReadonlyMap<string, MonitorCondition>;
  /** Active disruptions: those with a status in STATUSES_IN_FORCE. */
  readonly disruptions: readonly (DisruptionInForce & { readonly pageId: string })[];
}

/** Returns the statuses that visitors see for several pages, by page id. */
export function viewPages(
  pageIds: readonly string[],
  { components, monitors, disruptions }: ViewInputs,
): ReadonlyMap<string, PageView> {
  const componentsOf = Map.groupBy(components, ({ pageId }) => pageId);
  const disruptionsOf = Map.groupBy(disruptions, ({ pageId }) => pageId);
  return new Map(
    pageIds.map((pageId) => {
      const statuses = new Map(
        (componentsOf.get(pageId) ?? []).map(({ id, status, monitorIds }) => {
          const linked = monitorIds.map((monitorId) => monitors.get(monitorId));
          return [id, shownStatus([status], linked)] as const;
        }),
      );
      return [pageId, { status: pageStatus([...statuses.values()], disruptionsOf.get(pageId) ?? []), statuses }];
    }),
  );
}

/** Returns the time at which the content of a page last changed. */
export function lastChangeOf(
  page: { readonly updatedAt: Date },
  components: readonly { readonly updatedAt: Date; readonly statusChangedAt: Date }[],
  disruptions: readonly { readonly updatedAt: Date }[],
): Date {
  const times = [
    page.updatedAt,
    ...components.flatMap(({ updatedAt, statusChangedAt }) => [updatedAt, statusChangedAt]),
    ...disruptions.map(({ updatedAt }) => updatedAt),
  ];
  return new Date(Math.max(...times.map((time) => time.getTime())));
}
