import type { Outcome } from './outcome.ts';

/** Attempts after the first one. */
const RETRIES = 3;
/** After so many alerts in a row that were given up, a channel counts as broken. */
const FAILED_ALERTS_TO_BREAK = 3;
const BACKOFF_FACTOR = 6;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** What becomes of a delivery after an attempt. */
export type Settlement =
  | { readonly kind: 'sent' }
  | { readonly kind: 'retry'; readonly at: Date; readonly error: string }
  | { readonly kind: 'given_up'; readonly error: string };

/**
 * Decides after attempt number `attempt` (from 1): three retries, each six times as long after the one before it, with
 * jitter of a quarter to either side, and never before the receiver wants one (spec: Alert channels, delivery).
 * `random` is from 0 to 1.
 */
export function settle(
  outcome: Outcome,
  { attempt, now, retryBaseMs, random }: { attempt: number; now: Date; retryBaseMs: number; random: number },
): Settlement {
  if (outcome.kind === 'delivered') return { kind: 'sent' };
  const { error } = outcome;
  if (outcome.kind !== 'failed' || attempt > RETRIES) return { kind: 'given_up', error };
  const backoffMs = retryBaseMs * BACKOFF_FACTOR ** (attempt - 1) * (0.75 + random / 2);
  const wantedMs = Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return { kind: 'retry', at: new Date(now.getTime() + Math.round(Math.max(backoffMs, wantedMs))), error };
}

/**
 * How an attempt counts if the channel was mended while it was under way: nobody is to blame, and it is worth another
 * try.
 */
export function asTransient(outcome: Outcome): Outcome {
  if (outcome.kind !== 'refused' && outcome.kind !== 'blocked') return outcome;
  const httpStatus = outcome.kind === 'refused' ? outcome.httpStatus : undefined;
  return { kind: 'failed', error: outcome.error, httpStatus };
}

/**
 * What a delivery that was given up says about its channel: how many alerts have failed in a row now, and the reason if
 * the channel is broken. A receiver that only was too busy is not, nor one that some have it from,
 * and what the installation itself is at fault for says nothing.
 */
export function outcomeForChannel(outcome: Outcome, failedAlerts: number): { failedAlerts: number; broken?: string } {
  if (outcome.kind === 'delivered') return { failedAlerts: 0 };
  if (outcome.kind === 'refused') return { failedAlerts: failedAlerts + 1, broken: outcome.error };
  const isTransient =
    outcome.kind === 'failed' && (outcome.httpStatus === 429 || outcome.isOurs || outcome.reached?.length);
  if (isTransient || outcome.kind === 'unable') return { failedAlerts };
  const failed = failedAlerts + 1;
  if (failed < FAILED_ALERTS_TO_BREAK) return { failedAlerts: failed };
  return {
    failedAlerts: failed,
    broken: `${failed} alerts in a row could not be delivered; the last time: ${outcome.error}`,
  };
}
