import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from '@tocsin/database';
import { unreachable } from '@tocsin/errors';
import { backoff } from '@tocsin/runtime';
import { firstAttemptDelayMs } from '../domain/delivery-delay.ts';
import { HELD } from '../domain/held.ts';
import type { FailedOutcome } from '../domain/outcome.ts';
import { asTransient, type Settlement } from '../domain/settle.ts';
import { lockChannel } from '../storage/channel-store.ts';
import type { ClaimedDelivery } from '../storage/delivery-rows.ts';
import { endLease, endUnsent, insertAttempt, putOff, type SentDelivery } from '../storage/delivery-store.ts';
import { pauseRecipient } from '../storage/paused-recipient-store.ts';
import { clearSlow, markSlow } from '../storage/slow-recipient-store.ts';
import type { Batch } from './batch.ts';
import { handOver } from './hand-over.ts';
import { leaveOutOutdated } from './leave-out-outdated.ts';
import { type MadeAttempt, makeAttempt } from './make-attempt.ts';
import type { Deps } from './ports.ts';
import { type LockedRecipient, type Recipient, recipientOf } from './recipient.ts';
import { recordInTurn } from './record-in-turn.ts';

/**
 * Makes one attempt at a claimed delivery, outside of any transaction, and then records the outcome. If the process
 * crashes before the outcome is recorded, the attempt is repeated with the same id after the lease expires. A delivery
 * is marked as sent only after its receiver accepted it. Calls `freeSlot` when the receiver accepted the delivery,
 * before the success is recorded. Returns the time of the next attempt, or undefined if there is no further attempt.
 * `stopping` is aborted when the process stops.
 * @throws the error of the database if the outcome could not be recorded: a failure until the lease ended, a success
 * until the process stopped and the lease ended.
 */
export async function deliver(
  deps: Deps,
  due: ClaimedDelivery,
  { successes, freeSlot, stopping }: { successes: Batch<SentDelivery>; freeSlot: () => void; stopping: AbortSignal },
): Promise<Date | undefined> {
  if (!isTaken(due, due.to)) {
    await drop(deps, due);
    return undefined;
  }
  const claimed = await leaveOutOutdated(deps, due);
  if (!claimed) return undefined;
  const recipient = recipientOf(deps, claimed);
  const made = await makeAttempt(deps, claimed, recipient);
  const { outcome, record: attempt } = made;
  if (outcome.kind === 'delivered') {
    freeSlot();
    // A success must be recorded even if the database is unavailable for longer than the lease. Otherwise the receiver
    // gets the message twice. This process does not claim the delivery again meanwhile. When the database is available
    // again, another replica may claim it before the success is recorded.
    const mayGiveUp = () => stopping.aborted && deps.now() >= claimed.leasedUntil;
    await retry(mayGiveUp, () => successes.add({ claimed, attempt }));
    const delayMs = firstAttemptDelayMs(claimed, deps.now());
    if (delayMs !== undefined) deps.meters.delivered(recipient.type, delayMs / 1000);
    return undefined;
  }
  const isLeaseOver = () => deps.now() >= claimed.leasedUntil;
  const settlement = await retry(isLeaseOver, () => recordFailure(deps, { claimed, recipient, outcome, attempt }));
  return settlement && 'at' in settlement ? settlement.at : undefined;
}

/**
 * Returns whether a recipient in this state gets a delivery. A disabled channel only gets deliveries that close
 * incidents, unless it is broken.
 */
function isTaken(
  { to }: ClaimedDelivery,
  { enabled, isBroken }: Pick<ClaimedDelivery['to'], 'enabled' | 'isBroken'>,
): boolean {
  return enabled || (to.kind === 'channel' && to.alert.kind === 'incident_closed' && !isBroken);
}

/**
 * Records a failed attempt and returns the delivery's next step. Returns undefined if the recipient and its deliveries
 * were deleted.
 */
async function recordFailure(
  deps: Deps,
  {
    claimed,
    recipient,
    outcome,
    attempt,
  }: { claimed: ClaimedDelivery; recipient: Recipient; outcome: FailedOutcome; attempt: MadeAttempt['record'] },
): Promise<Settlement | undefined> {
  const { organizationId, to } = claimed;
  return recordInTurn(deps, organizationId, async (tx) => {
    // Locks the recipient's row before its deliveries. A deletion uses the same order, so the two cannot deadlock.
    const locked = await recipient.lock(tx);
    if (!locked) return undefined;
    await insertAttempt(tx, claimed, attempt);
    await recordSpeed(tx, claimed, outcome, deps.now());
    const fair = locked.revision !== to.revision ? asTransient(outcome) : outcome;
    return settleDelivery(deps, tx, { claimed, recipient, locked, outcome: fair });
  });
}

/**
 * Moves a recipient that timed out to the slow lane. Attempts in the slow lane use separate slots, so that they do not
 * delay other deliveries. Moves the recipient back after an attempt that does not time out.
 */
async function recordSpeed(
  tx: Transaction,
  { organizationId, slow, to }: ClaimedDelivery,
  outcome: FailedOutcome,
  now: Date,
): Promise<void> {
  // Emails to subscribers have a lane of their own in any case.
  if (to.kind === 'subscriber') return;
  const timedOut = outcome.kind === 'failed' && outcome.timedOut === true;
  if (timedOut && !slow) await markSlow(tx, { recipientId: to.id, organizationId, now });
  if (!timedOut && slow) await clearSlow(tx, organizationId, to.id);
}

async function settleDelivery(
  { now }: Deps,
  tx: Transaction,
  {
    claimed,
    recipient,
    locked,
    outcome,
  }: { claimed: ClaimedDelivery; recipient: Recipient; locked: LockedRecipient; outcome: FailedOutcome },
): Promise<Settlement> {
  const attempts = claimed.attempts + 1;
  const settlement = await withDeadLetter(recipient.settle(outcome, attempts), locked);
  switch (settlement.kind) {
    case 'pause':
    case 'retry': {
      const counts = settlement.kind === 'retry';
      const reached = outcome.kind === 'failed' ? outcome.reached : undefined;
      // A delivery that was held during the attempt, because its channel broke, stays held.
      if (!(await putOff(tx, claimed, { ...settlement, counts, reached }))) await endLease(tx, claimed, now());
      const { organizationId, to } = claimed;
      if (counts) await locked.recordFailure(outcome, false);
      else await pauseRecipient(tx, { recipientId: to.id, organizationId, until: settlement.at });
      break;
    }
    case 'given_up': {
      // A refusal breaks the channel. The alert is held, and is sent when the channel is healthy again.
      const status = outcome.kind === 'refused' && claimed.to.kind === 'channel' ? 'held' : 'failed';
      const ended = await endUnsent(tx, claimed, { status, attempts, error: settlement.error, now: now() });
      if (ended) await locked.recordFailure(outcome, true);
      else await endLease(tx, claimed, now());
      break;
    }
    default:
      unreachable(settlement);
  }
  return settlement;
}

/** Gives up a delivery that its receiver refuses repeatedly although the receiver accepts other deliveries. */
async function withDeadLetter(settlement: Settlement, locked: LockedRecipient): Promise<Settlement> {
  if (settlement.kind !== 'retry' || !settlement.stepsAside || !(await locked.takesOthers?.())) return settlement;
  return { kind: 'given_up', error: `${settlement.error}; other messages get through, so this one is not tried again` };
}

/**
 * Ends a delivery to a disabled recipient without an attempt. If the recipient is a broken channel, holds the delivery
 * instead, and sends the alert to the channel's fallback. If the channel was repaired since the delivery was claimed,
 * the delivery is due again.
 */
async function drop(deps: Deps, claimed: ClaimedDelivery): Promise<void> {
  const { now } = deps;
  const { organizationId, attempts, to } = claimed;
  await recordInTurn(deps, organizationId, async (tx) => {
    // The deliveries that a repaired channel held are released under the same lock. One that is held later would
    // never be released.
    const channel = to.kind === 'channel' ? await lockChannel(tx, organizationId, to.id) : undefined;
    const isBroken = channel?.broken !== undefined;
    const enabled = channel?.enabled ?? false;
    if (to.kind === 'channel' && isTaken(claimed, { enabled, isBroken })) return endLease(tx, claimed, now());
    const end = isBroken
      ? ({ status: 'held', error: HELD } as const)
      : ({ status: 'dropped', error: `the ${to.kind} is disabled` } as const);
    await endUnsent(tx, claimed, { ...end, attempts, now: now() });
    if (channel?.broken) await handOver(deps, tx, channel);
  });
}

/**
 * Retries `work` until it succeeds, at intervals of at most 5 seconds.
 * @throws the last error of `work` if an attempt fails and `mayGiveUp` returns true.
 */
async function retry<Result>(mayGiveUp: () => boolean, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (mayGiveUp()) throw error;
      await delay(backoff(attempt));
    }
  }
}
