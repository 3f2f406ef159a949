import type { Attempt } from '../domain/delivery.ts';
import type { Outcome, OutcomeKind } from '../domain/outcome.ts';
import type { ClaimedDelivery } from '../storage/delivery-rows.ts';
import type { Deps } from './ports.ts';
import type { Recipient } from './recipient.ts';

/** Outcome of an attempt, and the record to store. */
export interface MadeAttempt {
  readonly outcome: Outcome;
  readonly record: Attempt & { readonly outcome: OutcomeKind };
}

const CARGO = { channel: 'alert', subscription: 'message', owner: 'mail', subscriber: 'notice' } as const;

/** Makes one attempt at a delivery, outside of any transaction. */
export async function makeAttempt(
  deps: Deps,
  { id, attempts, to }: Pick<ClaimedDelivery, 'id' | 'attempts' | 'to'>,
  recipient: Recipient,
): Promise<MadeAttempt> {
  const { meters, logger } = deps;
  const at = deps.now();
  const start = performance.now();
  const made = await recipient.send();
  const durationMs = performance.now() - start;
  const outcome = await confirmFailure(deps, to.id, made);
  meters.attempted(recipient.type, outcome.kind);
  const error = outcome.kind === 'delivered' ? undefined : outcome.error;
  if (error !== undefined) {
    const about = { delivery_id: id, [`${to.kind}_id`]: to.id, type: recipient.type, attempt: attempts + 1 };
    logger.warn(about, `${CARGO[to.kind]} not delivered: ${error}`);
  }
  const httpStatus = 'httpStatus' in outcome ? outcome.httpStatus : undefined;
  const response = 'excerpt' in outcome ? outcome.excerpt : undefined;
  return { outcome, record: { at, outcome: outcome.kind, httpStatus, durationMs, error, response } };
}

/**
 * After a failure without a response, checks whether this installation has a network connection. If it has none, the
 * failure does not count against the receiver.
 */
async function confirmFailure({ connectivity }: Deps, recipientId: string, outcome: Outcome): Promise<Outcome> {
  if (outcome.kind !== 'failed' || outcome.httpStatus !== undefined || outcome.isOurs) {
    connectivity.recordResponse(recipientId);
    return outcome;
  }
  if (await connectivity.confirmFailure(recipientId)) return outcome;
  return { ...outcome, isOurs: true, error: `${outcome.error}; this installation had no connection itself` };
}
