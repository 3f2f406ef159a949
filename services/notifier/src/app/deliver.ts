import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from '@tocsin/database';
import { unreachable } from '@tocsin/errors';
import { appendEvents } from '@tocsin/outbox';
import { backoff } from '@tocsin/runtime';
import { breakDown, type Channel } from '../domain/channel.ts';
import { noticeOf } from '../domain/notice.ts';
import type { Outcome } from '../domain/outcome.ts';
import { excuse, judgeChannel, type Settlement, settle } from '../domain/settle.ts';
import { channelBroken } from '../events/outgoing.ts';
import { forgetFailures, lockChannel, saveChannel } from '../storage/channel-store.ts';
import { type ClaimedDelivery, endUnsent, insertAttempt, markSent, putOff } from '../storage/delivery-store.ts';
import { readConfig } from './check-config.ts';
import { type Deps, vaultContext } from './ports.ts';

/**
 * Makes one attempt at a claimed delivery, outside of any transaction, and then records what came of it. A crash in between
 * repeats the attempt under the same id when the lease has run out; nothing is marked sent that no receiver took.
 * Answers when the next attempt is due, if there is to be one.
 */
export async function deliver(deps: Deps, claimed: ClaimedDelivery): Promise<Date | undefined> {
  const { channel, leasedUntil } = claimed;
  if (!channel.enabled) {
    await drop(deps, claimed);
    return undefined;
  }
  const startedAt = deps.now();
  const start = performance.now();
  const outcome = await attempt(deps, claimed);
  const durationMs = performance.now() - start;
  deps.meters.attempted(channel.type, outcome.kind);
  if (outcome.kind !== 'delivered') {
    const about = {
      delivery_id: claimed.id,
      channel_id: channel.id,
      type: channel.type,
      attempt: claimed.attempts + 1,
    };
    deps.logger.warn(about, `alert not delivered: ${outcome.error}`);
  }
  // What the receiver has must be remembered, even if the database is away just now.
  const settlement = await insist(leasedUntil, deps.now, () =>
    record(deps, claimed, outcome, { at: startedAt, durationMs }),
  );
  if (outcome.kind === 'delivered') {
    deps.meters.delivered(channel.type, (deps.now().getTime() - claimed.alert.occurredAt.getTime()) / 1000);
  }
  return settlement?.kind === 'retry' ? settlement.at : undefined;
}

async function attempt({ kinds, vault, baseUrl }: Deps, { id, alert, channel }: ClaimedDelivery): Promise<Outcome> {
  const kind = kinds.find(({ type }) => type === channel.type);
  if (!kind) return failed(`this version can't send to channels of type ${channel.type}`);
  let config: ReturnType<typeof readConfig>;
  try {
    config = readConfig(vault.open(channel.sealedConfig, vaultContext(channel.id)));
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
  if (!config) return failed("the channel's stored configuration is no object");
  return kind.send(config, noticeOf(alert, { deliveryId: id, channelName: channel.name, baseUrl }));
}

function failed(error: string): Outcome {
  return { kind: 'failed', error, httpStatus: undefined };
}

/** Answers what became of the delivery; nothing when its channel is gone, and the delivery with it. */
async function record(
  deps: Deps,
  claimed: ClaimedDelivery,
  outcome: Outcome,
  { at, durationMs }: { at: Date; durationMs: number },
): Promise<Settlement | undefined> {
  const { organizationId, channel: used } = claimed;
  return deps.database.transaction({ organizationId }, async (tx) => {
    // Its row first, the deliveries' after it: in the order in which a deletion takes them.
    const channel = outcome.kind === 'delivered' ? undefined : await lockChannel(tx, organizationId, used.id);
    if (outcome.kind !== 'delivered' && !channel) return undefined;
    const httpStatus = outcome.kind === 'blocked' ? undefined : outcome.httpStatus;
    const error = outcome.kind === 'delivered' ? undefined : outcome.error;
    await insertAttempt(tx, claimed, { at, outcome: outcome.kind, httpStatus, durationMs, error });
    const fair = channel && channel.revision !== used.revision ? excuse(outcome) : outcome;
    return settleDelivery(deps, tx, claimed, channel, fair);
  });
}

async function settleDelivery(
  { now, random, retryBaseMs }: Deps,
  tx: Transaction,
  claimed: ClaimedDelivery,
  channel: Channel | undefined,
  outcome: Outcome,
): Promise<Settlement> {
  const at = now();
  const attempts = claimed.attempts + 1;
  const settlement = settle(outcome, { attempt: attempts, now: at, retryBaseMs, random: random() });
  switch (settlement.kind) {
    case 'sent':
      if (await markSent(tx, claimed, at)) await forgetFailures(tx, claimed.organizationId, claimed.channel.id);
      break;
    case 'retry':
      await putOff(tx, claimed, settlement);
      break;
    case 'given_up': {
      const ended = await endUnsent(tx, claimed, { status: 'failed', attempts, error: settlement.error, now: at });
      if (ended && channel) await blame(tx, channel, outcome, at);
      break;
    }
    default:
      unreachable(settlement);
  }
  return settlement;
}

async function blame(tx: Transaction, channel: Channel, outcome: Outcome, now: Date): Promise<void> {
  const { failedAlerts, broken } = judgeChannel(outcome, channel.failedAlerts);
  const blamed = { ...channel, failedAlerts };
  if (broken === undefined || channel.broken) return saveChannel(tx, blamed);
  await saveChannel(tx, breakDown(blamed, broken, now));
  await appendEvents(tx, [channelBroken(channel, broken)], now);
}

/** A channel that was disabled after the alert arose gets nothing any more. */
async function drop({ database, now }: Deps, claimed: ClaimedDelivery): Promise<void> {
  const { organizationId, attempts } = claimed;
  const error = 'the channel is disabled';
  await database.transaction({ organizationId }, (tx) =>
    endUnsent(tx, claimed, { status: 'dropped', attempts, error, now: now() }),
  );
}

/** Tries until it works, or until the deadline, when it throws what `work` threw last. */
async function insist<Result>(deadline: Date, now: () => Date, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (now() >= deadline) throw error;
      await delay(backoff(attempt));
    }
  }
}
