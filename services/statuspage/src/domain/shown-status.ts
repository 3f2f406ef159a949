import type { ComponentStatus, DisruptionImpact, DisruptionType, MonitorState } from '@tocsin/enums';
import { worstStatus } from './component-status.ts';

/**
 * Status of a component as visitors see it. `no_data` and `not_monitored` mean that it is unknown whether the component
 * works. They are shown in gray.
 */
export type ShownStatus = ComponentStatus | 'no_data' | 'not_monitored';

/**
 * Status of a whole page as visitors see it. `partly_known` means that there is no known problem, but the status of
 * some components is `no_data` or `not_monitored`.
 */
export type PageStatus = ShownStatus | 'partly_known' | 'no_components';

/** Last known condition of a monitor that a component is linked to. */
export interface MonitorCondition {
  readonly enabled: boolean;
  readonly state: MonitorState;
  /** Whether the monitor's last check is too old; absent if the last checks were not read. */
  readonly isOverdue?: boolean;
  /** Stored time at which the monitor's last check becomes too old; undefined before the first check. */
  readonly freshUntil?: Date | undefined;
}

/**
 * Returns the status of a component as visitors see it. This is the worst status that active disruptions give to the
 * component. If no disruption makes it worse than operational, the status depends on whether the component's monitors
 * are enabled and have data. A component without monitors is then operational. An `undefined` monitor has no recorded
 * condition and counts as working.
 */
export function shownStatus(
  inForce: readonly ComponentStatus[],
  monitors: readonly (MonitorCondition | undefined)[],
): ShownStatus {
  const worst = worstStatus(inForce);
  if (worst !== 'operational' || monitors.length === 0) return worst;
  const checked = monitors.filter((monitor) => monitor === undefined || monitor.enabled);
  if (checked.length === 0) return 'not_monitored';
  // A new monitor without results does not make the status unknown if another monitor has results. A stale monitor
  // always makes it unknown.
  const isKnown = checked.some(
    (monitor) => monitor === undefined || monitor.state === 'up' || monitor.state === 'down',
  );
  const isStale = checked.some((monitor) => monitor?.state === 'stale' || monitor?.isOverdue);
  return isKnown && !isStale ? 'operational' : 'no_data';
}

/** The properties of an active disruption that determine the status of the page. */
export interface DisruptionInForce {
  readonly type: DisruptionType;
  readonly impact: DisruptionImpact;
}

const STATUS_OF_IMPACT: Readonly<Record<DisruptionImpact, ComponentStatus>> = {
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
};

/** Returns the status for the banner: the worst of the component statuses and of the impacts of active disruptions. */
export function pageStatus(components: readonly ShownStatus[], disruptions: readonly DisruptionInForce[]): PageStatus {
  const known = components.filter(isKnownStatus);
  const impacts = disruptions.map(statusOfDisruption);
  const worst = worstStatus([...known, ...impacts]);
  if (worst !== 'operational') return worst;
  if (components.length === 0) return 'no_components';
  if (known.length > 0) return known.length === components.length ? 'operational' : 'partly_known';
  return components.every((status) => status === 'not_monitored') ? 'not_monitored' : 'no_data';
}

/** Returns the status that matches the impact of a disruption. */
export function statusOfDisruption({ type, impact }: DisruptionInForce): ComponentStatus {
  return type === 'maintenance' ? 'under_maintenance' : STATUS_OF_IMPACT[impact];
}

/** Impact of a disruption and the worst of the statuses that it gives to components. */
export interface ImpactInputs {
  readonly autoCreated: boolean;
  readonly impact: DisruptionImpact;
  /** Statuses of the affected components of one page. */
  readonly onPage: readonly ComponentStatus[];
  /** Statuses of all affected components, including those of other pages. */
  readonly everywhere: readonly ComponentStatus[];
}

/**
 * Returns the impact of a disruption on one page. The impact of an automatic disruption matches the worst component of
 * all pages. On a page it matches the worst component of this page, so that it does not reveal the settings of other
 * pages. Any other impact was chosen by a person and applies to all pages.
 */
export function impactOnPage({ autoCreated, impact, onPage, everywhere }: ImpactInputs): DisruptionImpact {
  const isDerived = autoCreated && onPage.length > 0 && impact === impactOf(everywhere);
  return isDerived ? impactOf(onPage) : impact;
}

function impactOf(statuses: readonly ComponentStatus[]): DisruptionImpact {
  const worst = worstStatus(statuses);
  if (worst === 'major_outage') return 'critical';
  return worst === 'partial_outage' ? 'major' : 'minor';
}

/** Returns the status of a group, determined from the statuses of its components. */
export function groupStatus(components: readonly ShownStatus[]): ShownStatus {
  const status = pageStatus(components, []);
  return status === 'partly_known' || status === 'no_components' ? 'no_data' : status;
}

export function isKnownStatus(status: ShownStatus): status is ComponentStatus {
  return status !== 'no_data' && status !== 'not_monitored';
}
