import type { FailedOutcome } from './outcome.ts';

/** Default of `retryBaseMs`, the unit of all retry delays, in milliseconds. */
export const DEFAULT_RETRY_BASE_MS = 2_000;

/** Delays after failed attempts, in units of `retryBaseMs`. The last delay repeats. */
const WAITS = [1, 5, 30, 150, 450];
/** How long an alert is retried, in units of `retryBaseMs`: 24 hours by default. */
const LIFETIME = 43_200;
const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = 3_600_000;
const TOO_MANY_REQUESTS = 429;

/** Minimum time without a success before a channel counts as broken, in units of `retryBaseMs`: an hour by default. */
const BREAKS_AFTER = 1_800;
/** Minimum number of outages with failed alerts since the last success before a channel counts as broken. */
export const OUTAGES_TO_BREAK = 3;

/** Next step of a delivery after a failed attempt. */
export type Settlement =
  | {
      readonly kind: 'retry';
      readonly at: Date;
      readonly error: string;
      /** Set if later deliveries no longer wait for this delivery. */
      readonly stepsAside?: true;
    }
  /** The receiver limits the rate. Nothing is sent to the receiver until `at`, and the attempt is not counted. */
  | { readonly kind: 'pause'; readonly at: Date; readonly error: string }
  | { readonly kind: 'given_up'; readonly error: string };

export interface SettleContext {
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly now: Date;
  /** Time at which the delivery was inserted, or last became due again, for example when its channel recovered. */
  readonly createdAt: Date;
  readonly retryBaseMs: number;
  /**
   * Milliseconds to pause after a 429 response that does not say how long to wait. The value applies to the default
   * `retryBaseMs`. For another `retryBaseMs`, it is scaled in proportion.
   */
  readonly pauseMs: number;
  /** Random number from 0 to 1 for the jitter. */
  readonly random: number;
}

/**
 * Returns the next step after a failed attempt. By default, an alert is retried for 24 hours: after 2 s, 10 s, 1 min
 * and 5 min, and then every 15 min, with jitter. The retry is later if the receiver requests that.
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

/** Returns the time at which a failing channel counts as broken. */
export function breaksAt(failingSince: Date, retryBaseMs: number): Date {
  return new Date(failingSince.getTime() + BREAKS_AFTER * retryBaseMs);
}

/**
 * Changes a refusal or a blocked attempt to a failure that is retried. This is used if, for example, the channel was
 * changed during the attempt.
 */
export function asTransient(outcome: FailedOutcome): FailedOutcome {
  if (outcome.kind !== 'refused' && outcome.kind !== 'blocked') return outcome;
  const httpStatus = outcome.kind === 'refused' ? outcome.httpStatus : undefined;
  const excerpt = outcome.kind === 'refused' ? outcome.excerpt : undefined;
  return { kind: 'failed', error: outcome.error, httpStatus, ...(excerpt !== undefined && { excerpt }) };
}

/**
 * Returns whether an outcome suggests that the channel is broken. This is not the case if the receiver limits the rate,
 * if some recipients got the message, or if the installation itself caused the failure.
 */
export function isChannelFailure(outcome: FailedOutcome): boolean {
  if (outcome.kind === 'unable') return false;
  if (outcome.kind !== 'failed') return true;
  return outcome.httpStatus !== TOO_MANY_REQUESTS && !outcome.isOurs && !outcome.reached?.length;
}
