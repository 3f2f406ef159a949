const WINDOW_MS = 15 * 60_000;

/** Default number of changes within 15 minutes above which a monitor is flapping. */
export const DEFAULT_CALM_CHANGES = 4;

/**
 * Returns until when a monitor is flapping if nothing changes any more; undefined if it is not flapping. `changes` are
 * the times of its latest changes, of which more than `calmChanges` within 15 minutes are too many.
 */
export function flappingUntil(changes: readonly Date[], calmChanges: number): Date | undefined {
  const times = changes.map((at) => at.getTime()).sort((a, b) => b - a);
  const [last, first] = [times[0], times[calmChanges]];
  if (last === undefined || first === undefined || last - first >= WINDOW_MS) return undefined;
  return new Date(first + WINDOW_MS);
}
