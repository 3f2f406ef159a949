const WINDOW_MS = 15 * 60_000;

/** By default, a monitor is flapping after more than this number of changes within 15 minutes. */
export const DEFAULT_CALM_CHANGES = 4;

/**
 * Returns the time at which a monitor stops flapping if it does not change again; undefined if it is not flapping.
 * `changes` are the times of its latest changes. A monitor is flapping after more than `calmChanges` changes within 15
 * minutes.
 */
export function flappingUntil(changes: readonly Date[], calmChanges: number): Date | undefined {
  const times = changes.map((at) => at.getTime()).sort((a, b) => b - a);
  const [last, first] = [times[0], times[calmChanges]];
  if (last === undefined || first === undefined || last - first >= WINDOW_MS) return undefined;
  return new Date(first + WINDOW_MS);
}
