import { type ComponentStatus, severityOf } from '@tocsin/enums';

/** A component that a disruption touches. */
export interface AffectedComponent {
  readonly id: string;
  /** Its name when the disruption was linked to it. */
  readonly name: string;
  readonly statusPageId: string;
  /** What the disruption makes of it while it is open. It outlives the end, so that opening again brings it back. */
  readonly status: ComponentStatus;
}

/** Worst first; equally bad ones keep their order. */
export function worstFirst(components: readonly AffectedComponent[]): AffectedComponent[] {
  return components.toSorted((a, b) => severityOf(b.status) - severityOf(a.status));
}
