import { type ComponentStatus, severityOf } from '@tocsin/enums';

/** A component that a disruption affects. */
export interface AffectedComponent {
  readonly id: string;
  /** Current name of the component; once the disruption has ended, the name that it had then. */
  readonly name: string;
  readonly statusPageId: string;
  /**
   * Status of the component while the disruption is open. It remains stored after the disruption has ended, so that it
   * applies again if the disruption is reopened.
   */
  readonly status: ComponentStatus;
}

/** Returns the components by severity, worst first. Components with equal severity keep their order. */
export function worstFirst(components: readonly AffectedComponent[]): AffectedComponent[] {
  return components.toSorted((a, b) => severityOf(b.status) - severityOf(a.status));
}
