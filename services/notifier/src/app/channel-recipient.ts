import type { Transaction } from '@tocsin/database';
import type { Channel } from '../domain/channel.ts';
import { readConfig } from '../domain/channel-config.ts';
import { type LinkedChange, noticeOf } from '../domain/notice.ts';
import { type FailedOutcome, notSent, type Outcome } from '../domain/outcome.ts';
import { rateOf } from '../domain/rates.ts';
import { breaksAt, isChannelFailure, OUTAGES_TO_BREAK, settle } from '../domain/settle.ts';
import { isRetired, lockChannel, saveChannel } from '../storage/channel-store.ts';
import type { ToChannel } from '../storage/delivery-rows.ts';
import { countFailingOutages, gotAlertSince } from '../storage/held-store.ts';
import { breakChannel } from './break-channel.ts';
import { handOver } from './hand-over.ts';
import { linkChanges } from './outage-links.ts';
import { type Deps, vaultContext } from './ports.ts';
import type { Recipient } from './recipient.ts';

/** Returns the recipient of an alert that is delivered to a channel. */
export function channelRecipient(
  deps: Deps,
  {
    deliveryId,
    organizationId,
    createdAt,
    to,
  }: { deliveryId: string; organizationId: string; createdAt: Date; to: ToChannel },
): Recipient {
  const { now, random, retryBaseMs } = deps;
  return {
    type: to.type,
    send: () => sendAlert(deps, deliveryId, to),
    settle: (outcome, attempt) => {
      const { pauseMs } = rateOf(to.type);
      return settle(outcome, { attempt, now: now(), createdAt, retryBaseMs, pauseMs, random: random() });
    },
    async lock(tx) {
      const channel = await lockChannel(tx, organizationId, to.id);
      if (channel) {
        return { revision: channel.revision, recordFailure: (outcome) => recordFailure(deps, tx, channel, outcome) };
      }
      if (!(await isRetired(tx, organizationId, to.id))) return undefined;
      return { revision: to.revision, recordFailure: async () => undefined };
    },
  };
}

async function sendAlert(
  { kinds, vault, baseUrl, statusPages, outageLinks }: Deps,
  deliveryId: string,
  to: ToChannel,
): Promise<Outcome> {
  const kind = kinds.find(({ type }) => type === to.type);
  if (!kind) return notSent(`this version can't send to channels of type ${to.type}`);
  let config: ReturnType<typeof readConfig>;
  let outageLink: string;
  let changes: readonly LinkedChange[] | undefined;
  try {
    config = readConfig(vault.open(to.sealedConfig, vaultContext(to.id)));
    outageLink = await outageLinks.linkTo(to.alert);
    changes = to.alert.changes && (await linkChanges(outageLinks, to.alert.changes));
  } catch (error) {
    // The installation's vault keys caused the failure, not the receiver.
    return { ...notSent(error), isOurs: true };
  }
  if (!config) return notSent("the channel's stored configuration is no object");
  const { organizationId, monitor } = to.alert;
  const notice = noticeOf(to.alert, { deliveryId, channelName: to.name, baseUrl, outageLink });
  const statusPageUrl = kind.wantsStatusPage?.(config)
    ? await statusPages.urlFor(organizationId, monitor.id)
    : undefined;
  return kind.send(config, {
    ...notice,
    changes,
    statusPageUrl,
    reached: to.reached,
    late: to.late,
    heldBackUntil: to.heldBackUntil,
  });
}

/**
 * Returns a human-readable reason if a failure means that the channel must be marked as broken, or undefined otherwise.
 */
async function breakageOf(
  { retryBaseMs }: Deps,
  tx: Transaction,
  channel: Channel,
  outcome: FailedOutcome,
  now: Date,
): Promise<string | undefined> {
  const { id: channelId, organizationId, failingSince: since } = channel;
  if (outcome.kind === 'refused') return outcome.error;
  if (!since || now < breaksAt(since, retryBaseMs)) return undefined;
  const outages = await countFailingOutages(tx, { organizationId, channelId, since });
  if (outages < OUTAGES_TO_BREAK) return undefined;
  if (await gotAlertSince(tx, { organizationId, channelId, since })) {
    // The row was locked when the success was recorded: see recordSent().
    await saveChannel(tx, { ...channel, failingSince: undefined });
    return undefined;
  }
  return `alerts about ${outages} outages could not be delivered and none got through for an hour; the last time: ${outcome.error}`;
}

async function recordFailure(deps: Deps, tx: Transaction, channel: Channel, outcome: FailedOutcome): Promise<void> {
  // Another attempt has broken the channel during this one. If this alert is now held, it goes to the fallback, too.
  if (channel.broken) return handOver(deps, tx, channel);
  if (!isChannelFailure(outcome)) return;
  const at = deps.now();
  const broken = await breakageOf(deps, tx, channel, outcome, at);
  if (broken === undefined) {
    if (!channel.failingSince) await saveChannel(tx, { ...channel, failingSince: at });
    return;
  }
  await breakChannel(deps, tx, channel, broken);
}
