/** Every status of a component, from best to worst: maintenance shows only where nothing is broken. */
export const COMPONENT_STATUSES = [
  'operational',
  'under_maintenance',
  'degraded_performance',
  'partial_outage',
  'major_outage',
] as const;

export type ComponentStatus = (typeof COMPONENT_STATUSES)[number];

/** What a component may become while one of its monitors is down. */
export const DOWN_STATUSES: readonly ComponentStatus[] = ['degraded_performance', 'partial_outage', 'major_outage'];

/** The worst of some statuses; operational when there are none. */
export function worstStatus(statuses: Iterable<ComponentStatus>): ComponentStatus {
  let worst: ComponentStatus = 'operational';
  for (const status of statuses) {
    if (COMPONENT_STATUSES.indexOf(status) > COMPONENT_STATUSES.indexOf(worst)) worst = status;
  }
  return worst;
}
