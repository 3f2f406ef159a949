import { type ComponentStatus, severityOf } from '@tocsin/enums';

/** Statuses that can be chosen for a component while one of its monitors is down. */
export const DOWN_STATUSES: readonly ComponentStatus[] = ['degraded_performance', 'partial_outage', 'major_outage'];

/** Returns the worst of the statuses; operational if there are none. */
export function worstStatus(statuses: Iterable<ComponentStatus>): ComponentStatus {
  let worst: ComponentStatus = 'operational';
  for (const status of statuses) {
    if (severityOf(status) > severityOf(worst)) worst = status;
  }
  return worst;
}
