import { type ComponentStatus, severityOf } from '@tocsin/enums';

/** A component that a disruption affects. */
export interface AffectedComponent {
  readonly id: string;
  /** Its name when the disruption was linked to it. */
  readonly name: string;
  readonly statusPageId: string;
  /** Its status while the disruption is open. It is kept after the end, so that reopening restores it. */
  readonly status: ComponentStatus;
}

/** Sorts by severity, worst first; equal ones keep their order. */
export function worstFirst(components: readonly AffectedComponent[]): AffectedComponent[] {
  return components.toSorted((a, b) => severityOf(b.status) - severityOf(a.status));
}
