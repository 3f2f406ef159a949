import type { FailedOutcome } from './outcome.ts';

/** Default unit of all waits. */
export const DEFAULT_RETRY_BASE_MS = 2_000;

/** Waits after the first, second, … failed attempt, in units of `retryBaseMs`. The last one repeats. */
const WAITS = [1, 5, 30, 150, 450];
/** Time for which an alert is retried, in units of `retryBaseMs`: 24 hours by default. */
const LIFETIME = 43_200;
const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = 3_600_000;
const TOO_MANY_REQUESTS = 429;

/**
 * Minimum time without a successful delivery before a channel is broken, in units of `retryBaseMs`: an hour by default.
 */
const BREAKS_AFTER = 1_800;
/** Minimum number of outages whose alerts failed within that time before a channel is broken. */
export const OUTAGES_TO_BREAK = 3;

/** Next step of a delivery after a failed attempt. */
export type Settlement =
  | {
      readonly kind: 'retry';
      readonly at: Date;
      readonly error: string;
      /** Set if later deliveries no longer wait for this one. */
      readonly stepsAside?: true;
    }
  /** The receiver limits its rate. Nothing is sent to it until `at`, and the attempt does not count. */
  | { readonly kind: 'pause'; readonly at: Date; readonly error: string }
  | { readonly kind: 'given_up'; readonly error: string };

export interface SettleContext {
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly now: Date;
  /** Time at which the delivery was inserted, or became due again after its channel was broken. */
  readonly createdAt: Date;
  readonly retryBaseMs: number;
  /** Milliseconds to pause after a 429 without a time, if `retryBaseMs` has its default. */
  readonly pauseMs: number;
  /** A random number from 0 to 1. */
  readonly random: number;
}

/**
 * Returns the next step after a failed attempt. An alert is retried for 24 hours: after 2 s, 10 s, 1 min, 5 min, and
 * then every 15 min, with jitter, and not before the time that the receiver asked for (spec: Alert channels, delivery).
 */
export function settle(outcome: FailedOutcome, context: SettleContext): Settlement {
  const { attempt, now, createdAt, retryBaseMs, pauseMs, random } = context;
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

/** Returns when a channel that keeps failing counts as broken. */
export function breaksAt(failingSince: Date, retryBaseMs: number): Date {
  return new Date(failingSince.getTime() + BREAKS_AFTER * retryBaseMs);
}

/**
 * Returns an outcome with a refusal or a block changed to a failure that is retried. It applies, for example, if the
 * channel was changed during the attempt.
 */
export function asTransient(outcome: FailedOutcome): FailedOutcome {
  if (outcome.kind !== 'refused' && outcome.kind !== 'blocked') return outcome;
  const httpStatus = outcome.kind === 'refused' ? outcome.httpStatus : undefined;
  const excerpt = outcome.kind === 'refused' ? outcome.excerpt : undefined;
  return { kind: 'failed', error: outcome.error, httpStatus, ...(excerpt !== undefined && { excerpt }) };
}

/**
 * Whether an outcome suggests that the channel is broken. It does not if the receiver limits its rate, if some
 * recipients were reached, or if the installation itself caused the failure.
 */
export function isChannelFailure(outcome: FailedOutcome): boolean {
  if (outcome.kind === 'unable') return false;
  if (outcome.kind !== 'failed') return true;
  return outcome.httpStatus !== TOO_MANY_REQUESTS && !outcome.isOurs && !outcome.reached?.length;
}
