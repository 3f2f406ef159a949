import type { FailedOutcome } from './outcome.ts';
import { asTransient, type Settlement } from './settle.ts';

const GONE = 410;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Number of attempts after which a refused message no longer delays later messages. */
const ASIDE_AFTER = 3;
/** Statuses below 500 that ask the sender to retry: request timeout, too early, too many requests. */
const NOT_REFUSED = [408, 425, 429];

/** Returns whether the receiver refused this message. Statuses above 501 mean that the receiver is unavailable. */
function isRefusal({ httpStatus }: { readonly httpStatus: number | undefined }): boolean {
  if (httpStatus === undefined || NOT_REFUSED.includes(httpStatus)) return false;
  return httpStatus >= 400 && httpStatus <= 501;
}

/**
 * Changes a refusal of a subscription's message to a retryable failure, because the owner may repair the receiver. A
 * 410 Gone remains a refusal.
 */
export function settleMessageOutcome(outcome: FailedOutcome): FailedOutcome {
  return outcome.kind === 'refused' && outcome.httpStatus === GONE ? outcome : asTransient(outcome);
}

/**
 * Returns the next step after a failed attempt. `attempt` is its number, from 1, and `waitsMs` contains the wait after
 * each attempt. The receiver can request a longer wait. The delivery is given up after the last attempt, or at once if
 * a retry can't help. From attempt ASIDE_AFTER on, a refusal by the receiver also lets the following messages about the
 * resource go ahead of this message.
 */
export function settleMessage(
  outcome: FailedOutcome,
  { attempt, now, waitsMs }: { attempt: number; now: Date; waitsMs: readonly number[] },
): Settlement {
  const { error } = outcome;
  const waitMs = waitsMs[attempt - 1];
  if (outcome.kind !== 'failed' || waitMs === undefined) return { kind: 'given_up', error };
  const requestedMs = Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  const at = new Date(now.getTime() + Math.max(waitMs, requestedMs));
  return { kind: 'retry', at, error, ...(attempt >= ASIDE_AFTER && isRefusal(outcome) && { stepsAside: true }) };
}
