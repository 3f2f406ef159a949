import type { Outcome } from './outcome.ts';
import { asTransient, type Settlement } from './settle.ts';

const GONE = 410;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Attempts after which a message that its receiver refuses no longer holds up what comes after it. */
const ASIDE_AFTER = 3;
/** Of the statuses below 500, those that ask for patience: request timeout, too early, too many requests. */
const NOT_REFUSED = [408, 425, 429];

/** Whether the receiver responded that it does not take this message; 502 to 504 say that it is not there. */
function isRefusal({ httpStatus }: { readonly httpStatus: number | undefined }): boolean {
  if (httpStatus === undefined || NOT_REFUSED.includes(httpStatus)) return false;
  return httpStatus >= 400 && httpStatus <= 501;
}

/** For a subscription only "gone" is final; any other response may be repaired in time. */
export function settleMessageOutcome(outcome: Outcome): Outcome {
  return outcome.kind === 'refused' && outcome.httpStatus === GONE ? outcome : asTransient(outcome);
}

/**
 * Decides after attempt number `attempt` (from 1): the next one follows when its wait is over, counted from the
 * failure, and never before the receiver asks for it; after the last one the delivery is given up (spec: Webhook
 * subscriptions). One that was refused three times steps aside, so that its resource's other events are sent.
 */
export function settleMessage(
  outcome: Outcome,
  { attempt, now, waitsMs }: { attempt: number; now: Date; waitsMs: readonly number[] },
): Settlement {
  if (outcome.kind === 'delivered') return { kind: 'sent' };
  const { error } = outcome;
  const waitMs = waitsMs[attempt - 1];
  if (outcome.kind !== 'failed' || waitMs === undefined) return { kind: 'given_up', error };
  const requestedMs = Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  const at = new Date(now.getTime() + Math.max(waitMs, requestedMs));
  return { kind: 'retry', at, error, ...(attempt >= ASIDE_AFTER && isRefusal(outcome) && { stepsAside: true }) };
}
