import type { FailedOutcome } from './outcome.ts';
import { asTransient, type Settlement } from './settle.ts';

const GONE = 410;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Number of attempts after which a refused message no longer delays the messages after it. */
const ASIDE_AFTER = 3;
/** Statuses below 500 that ask the sender to try later: request timeout, too early, too many requests. */
const NOT_REFUSED = [408, 425, 429];

/** Whether the receiver refused this message. 502 to 504 mean that the receiver is unavailable. */
function isRefusal({ httpStatus }: { readonly httpStatus: number | undefined }): boolean {
  if (httpStatus === undefined || NOT_REFUSED.includes(httpStatus)) return false;
  return httpStatus >= 400 && httpStatus <= 501;
}

/** Makes every refusal of a subscription's message retryable except 410 Gone, because the receiver may be repaired. */
export function settleMessageOutcome(outcome: FailedOutcome): FailedOutcome {
  return outcome.kind === 'refused' && outcome.httpStatus === GONE ? outcome : asTransient(outcome);
}

/**
 * Returns the next step after the failed attempt number `attempt`, from 1. A retry follows after its wait, counted from
 * the failure, and not before the time that the receiver asked for. After the last attempt the delivery is given up
 * (spec: Webhook subscriptions). A message that was refused after three attempts steps aside, so its resource's later
 * events are sent.
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
