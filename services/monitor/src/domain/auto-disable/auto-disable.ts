/** Why the system disables a monitor (docs/states.md). */
export type DisableCause =
  | { readonly reason: 'down_too_long'; readonly downSince: Date }
  | { readonly reason: 'too_many_disruptions'; readonly disruptions: number };

/**
 * State of auto-disable for a monitor that is down. `warnings` is 1 after the first warning, which is sent after a day.
 * It is 2 after the second and last warning, which is sent at least an hour before the monitor is disabled, even if the
 * first warning was skipped.
 */
export interface DownWatch {
  readonly downSince: Date;
  readonly warnings: number;
  /** Time of the next warning, or the time at which the monitor is disabled. */
  readonly dueAt: Date;
}

export type DownStep =
  | { readonly kind: 'wait' }
  | { readonly kind: 'warn'; readonly watch: DownWatch; readonly disableAt: Date }
  | { readonly kind: 'disable' };

const HOUR_MS = 3_600_000;
const FIRST_WARNING_MS = 24 * HOUR_MS;
const LAST_WARNING_MS = 47 * HOUR_MS;
const DISABLE_MS = 48 * HOUR_MS;

export function startDownWatch(downSince: Date): DownWatch {
  return { downSince, warnings: 0, dueAt: later(downSince, FIRST_WARNING_MS) };
}

/**
 * Returns the next step for a monitor that is still down. The monitor is disabled at least one hour after the last
 * warning.
 */
export function nextDownStep({ downSince, warnings, dueAt }: DownWatch, now: Date): DownStep {
  if (now < dueAt) return { kind: 'wait' };
  if (warnings === 2) return { kind: 'disable' };
  const disableAt = later(downSince, DISABLE_MS);
  const lastWarningAt = later(downSince, LAST_WARNING_MS);
  // If the last warning is already due, the first warning is skipped.
  if (now < lastWarningAt) {
    return { kind: 'warn', watch: { downSince, warnings: 1, dueAt: lastWarningAt }, disableAt };
  }
  const end = new Date(Math.max(now.getTime() + HOUR_MS, disableAt.getTime()));
  return { kind: 'warn', watch: { downSince, warnings: 2, dueAt: end }, disableAt: end };
}

/** An automatic disruption of a monitor. */
export interface Opened {
  readonly at: Date;
  /** Whether the owners were warned when this disruption opened. */
  readonly warned: boolean;
}

export const DISRUPTION_WINDOW_MS = 24 * HOUR_MS;
const WARN_AT = 8;
const DISABLE_AT = 11;

/**
 * Returns the auto-disable step that a monitor's newest automatic disruption causes. The result's `disruptions` is the
 * number of disruptions in the 24 hours that end with the newest one.
 */
export function stepOfDisruptions(opened: readonly Opened[]): {
  readonly kind: 'leave' | 'warn' | 'disable';
  readonly disruptions: number;
} {
  const end = opened.at(-1)?.at.getTime() ?? 0;
  const recent = opened.filter(({ at }) => at.getTime() > end - DISRUPTION_WINDOW_MS);
  const disruptions = recent.length;
  if (disruptions >= DISABLE_AT) return { kind: 'disable', disruptions };
  const isNews = disruptions >= WARN_AT && !recent.some(({ warned }) => warned);
  return { kind: isNews ? 'warn' : 'leave', disruptions };
}

function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
