import type { Outcome } from './outcome.ts';
import { asTransient, type Settlement } from './settle.ts';

const GONE = 410;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** For a subscription only "gone" is final; any other response may be repaired in time. */
export function settleMessageOutcome(outcome: Outcome): Outcome {
  return outcome.kind === 'refused' && outcome.httpStatus === GONE ? outcome : asTransient(outcome);
}

/**
 * Decides after attempt number `attempt` (from 1): the next one follows when its wait is over, counted from the
 * failure, and never before the receiver wants it; after the last one the delivery is given up (spec: Webhook
 * subscriptions).
 */
export function settleMessage(
  outcome: Outcome,
  { attempt, now, waitsMs }: { attempt: number; now: Date; waitsMs: readonly number[] },
): Settlement {
  if (outcome.kind === 'delivered') return { kind: 'sent' };
  const { error } = outcome;
  const waitMs = waitsMs[attempt - 1];
  if (outcome.kind !== 'failed' || waitMs === undefined) return { kind: 'given_up', error };
  const wantedMs = Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return { kind: 'retry', at: new Date(now.getTime() + Math.max(waitMs, wantedMs)), error };
}
