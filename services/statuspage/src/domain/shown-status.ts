import type { ComponentStatus, DisruptionImpact, DisruptionType, MonitorState } from '@tocsin/enums';
import { worstStatus } from './component-status.ts';

/** What visitors see of a component. The last two are grey: nobody knows whether it works. */
export type ShownStatus = ComponentStatus | 'no_data' | 'not_monitored';

/** What visitors see of a whole page; `partly_known`: no problem is known, but some components have no data. */
export type PageStatus = ShownStatus | 'partly_known' | 'no_components';

/** What is known of a monitor that a component is linked to. */
export interface MonitorCondition {
  readonly enabled: boolean;
  readonly state: MonitorState;
}

/**
 * Returns what visitors see of a component: the worst that its disruptions in force say; without any, whether its
 * monitors know that it works. A component without monitors is operational unless a disruption says otherwise.
 * `undefined` is a monitor that was never heard of since this is recorded, which counts as working.
 */
export function shownStatus(
  inForce: readonly ComponentStatus[],
  monitors: readonly (MonitorCondition | undefined)[],
): ShownStatus {
  const worst = worstStatus(inForce);
  if (worst !== 'operational' || monitors.length === 0) return worst;
  const checked = monitors.filter((monitor) => monitor === undefined || monitor.enabled);
  if (checked.length === 0) return 'not_monitored';
  // A new monitor beside one that works takes nothing away; one that lost its results does.
  const isKnown = checked.some(
    (monitor) => monitor === undefined || monitor.state === 'up' || monitor.state === 'down',
  );
  const isStale = checked.some((monitor) => monitor?.state === 'stale');
  return isKnown && !isStale ? 'operational' : 'no_data';
}

/** What a disruption in force says about the whole page. */
export interface DisruptionInForce {
  readonly type: DisruptionType;
  readonly impact: DisruptionImpact;
}

const STATUS_OF_IMPACT: Readonly<Record<DisruptionImpact, ComponentStatus>> = {
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
};

/** Returns what the banner says: the worst of the components and of the impacts of disruptions in force. */
export function pageStatus(components: readonly ShownStatus[], disruptions: readonly DisruptionInForce[]): PageStatus {
  const known = components.filter(isKnownStatus);
  const impacts = disruptions.map(({ type, impact }) =>
    type === 'maintenance' ? 'under_maintenance' : STATUS_OF_IMPACT[impact],
  );
  const worst = worstStatus([...known, ...impacts]);
  if (worst !== 'operational') return worst;
  if (components.length === 0) return 'no_components';
  if (known.length > 0) return known.length === components.length ? 'operational' : 'partly_known';
  return components.every((status) => status === 'not_monitored') ? 'not_monitored' : 'no_data';
}

/** Returns what the summary of a group says. */
export function groupStatus(components: readonly ShownStatus[]): ShownStatus {
  const status = pageStatus(components, []);
  return status === 'partly_known' || status === 'no_components' ? 'no_data' : status;
}

function isKnownStatus(status: ShownStatus): status is ComponentStatus {
  return status !== 'no_data' && status !== 'not_monitored';
}
