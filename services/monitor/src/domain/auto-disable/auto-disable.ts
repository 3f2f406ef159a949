/** Why a monitor is disabled without its owner (spec: Auto-disable). */
export type DisableCause =
  | { readonly reason: 'down_too_long'; readonly downSince: Date }
  | { readonly reason: 'too_many_disruptions'; readonly disruptions: number };

/** A monitor that is down, and how far its owners were warned: 0, 1 (after a day) or 2 (an hour before the end). */
export interface DownWatch {
  readonly downSince: Date;
  readonly warnings: number;
  /** When the next step is due. */
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
 * Decides what to do with a monitor that is still down. It is never disabled less than an hour after the last warning.
 */
export function nextDownStep({ downSince, warnings, dueAt }: DownWatch, now: Date): DownStep {
  if (now < dueAt) return { kind: 'wait' };
  if (warnings === 2) return { kind: 'disable' };
  const disableAt = later(downSince, DISABLE_MS);
  const lastWarningAt = later(downSince, LAST_WARNING_MS);
  // After a day without a check, the first warning would only repeat the last one.
  if (now < lastWarningAt) {
    return { kind: 'warn', watch: { downSince, warnings: 1, dueAt: lastWarningAt }, disableAt };
  }
  const end = new Date(Math.max(now.getTime() + HOUR_MS, disableAt.getTime()));
  return { kind: 'warn', watch: { downSince, warnings: 2, dueAt: end }, disableAt: end };
}

/** An automatic disruption of a monitor. */
export interface Opened {
  readonly at: Date;
  /** Whether owners were warned with it. */
  readonly warned: boolean;
}

export const DISRUPTION_WINDOW_MS = 24 * HOUR_MS;
const WARN_AT = 8;
const DISABLE_AT = 11;

/**
 * What one more automatic disruption, the last of those given, asks for; `disruptions` lie in the 24 hours up to it.
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
