import type { Outcome } from './outcome.ts';

/** The unit of all waits, unless an operator or a test sets another. */
export const DEFAULT_RETRY_BASE_MS = 2_000;

/** Waits after the first, second, … failed attempt; the last one repeats. In units of `retryBaseMs`. */
const WAITS = [1, 5, 30, 150, 450];
/** How long an alert is tried, in the same unit: 24 hours. */
const LIFETIME = 43_200;
const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = 3_600_000;
const TOO_MANY_REQUESTS = 429;

/** A channel is broken when nothing got through for this long, in the same unit: an hour … */
const BREAKS_AFTER = 1_800;
/** … in which alerts about at least this many different outages failed. */
export const OUTAGES_TO_BREAK = 3;

/** What becomes of a delivery after an attempt. */
export type Settlement =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'retry';
      readonly at: Date;
      readonly error: string;
      /** What comes after it no longer waits for it. */
      readonly stepsAside?: true;
    }
  /** The receiver wants fewer messages: none goes there until then, and the attempt does not count. */
  | { readonly kind: 'pause'; readonly at: Date; readonly error: string }
  | { readonly kind: 'given_up'; readonly error: string };

export interface SettleContext {
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly now: Date;
  /** When the delivery was written, or became due again after its channel was broken. */
  readonly createdAt: Date;
  readonly retryBaseMs: number;
  /** How long to pause after a 429 that names no time, with the default unit. */
  readonly pauseMs: number;
  /** From 0 to 1. */
  readonly random: number;
}

/**
 * Decides after an attempt. A failed one is followed by others for 24 hours: after 2 s, 10 s, 1 min, 5 min, and then
 * every 15 min, with jitter, and never before the receiver wants one (spec: Alert channels, delivery).
 */
export function settle(outcome: Outcome, context: SettleContext): Settlement {
  const { attempt, now, createdAt, retryBaseMs, pauseMs, random } = context;
  if (outcome.kind === 'delivered') return { kind: 'sent' };
  const { error } = outcome;
  if (outcome.kind !== 'failed') return { kind: 'given_up', error };
  const isPause = outcome.httpStatus === TOO_MANY_REQUESTS;
  const requestedMs = Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  const backoffMs = retryBaseMs * (WAITS[attempt - 1] ?? WAITS.at(-1) ?? 1) * (1 - JITTER + 2 * JITTER * random);
  const waitMs = isPause
    ? requestedMs || (pauseMs * retryBaseMs) / DEFAULT_RETRY_BASE_MS
    : Math.max(backoffMs, requestedMs);
  const at = new Date(now.getTime() + Math.round(waitMs));
  if (at.getTime() > createdAt.getTime() + LIFETIME * retryBaseMs) return { kind: 'given_up', error };
  return { kind: isPause ? 'pause' : 'retry', at, error };
}

/** Returns when a channel is broken that has been failing since some time and goes on failing. */
export function breaksAt(failingSince: Date, retryBaseMs: number): Date {
  return new Date(failingSince.getTime() + BREAKS_AFTER * retryBaseMs);
}

/**
 * Returns how an attempt counts if the channel was changed while it was running: it says nothing about the channel as
 * it is now.
 */
export function asTransient(outcome: Outcome): Outcome {
  if (outcome.kind !== 'refused' && outcome.kind !== 'blocked') return outcome;
  const httpStatus = outcome.kind === 'refused' ? outcome.httpStatus : undefined;
  const excerpt = outcome.kind === 'refused' ? outcome.excerpt : undefined;
  return { kind: 'failed', error: outcome.error, httpStatus, ...(excerpt !== undefined && { excerpt }) };
}

/**
 * Returns whether an attempt says that the channel may be broken. A receiver that wants fewer messages is not, nor one
 * that reached some of its recipients; and what the installation itself is at fault for says nothing.
 */
export function isChannelFailure(outcome: Outcome): boolean {
  if (outcome.kind === 'delivered' || outcome.kind === 'unable') return false;
  if (outcome.kind !== 'failed') return true;
  return outcome.httpStatus !== TOO_MANY_REQUESTS && !outcome.isOurs && !outcome.reached?.length;
}
