import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { type Channel, markBroken } from '../domain/channel.ts';
import { readConfig } from '../domain/channel-config.ts';
import { noticeOf } from '../domain/notice.ts';
import { notSent, type Outcome } from '../domain/outcome.ts';
import { channelBroken as channelBrokenLetter } from '../domain/owner-emails.ts';
import { outcomeForChannel, settle } from '../domain/settle.ts';
import { channelBroken } from '../events/outgoing.ts';
import { clearFailures, lockChannel, saveChannel } from '../storage/channel-store.ts';
import type { ToChannel } from '../storage/claim-deliveries.ts';
import { emailOwners } from './email-owners.ts';
import { type Deps, vaultContext } from './ports.ts';
import type { Recipient } from './recipient.ts';

/** An alert on its way to a channel. */
export function channelRecipient(
  deps: Deps,
  { deliveryId, organizationId, to }: { deliveryId: string; organizationId: string; to: ToChannel },
): Recipient {
  const { now, random, retryBaseMs } = deps;
  return {
    type: to.type,
    send: () => sendAlert(deps, deliveryId, to),
    settle: (outcome, attempt) => settle(outcome, { attempt, now: now(), retryBaseMs, random: random() }),
    async lock(tx) {
      const channel = await lockChannel(tx, organizationId, to.id);
      return (
        channel && { revision: channel.revision, recordFailure: (outcome) => recordFailure(deps, tx, channel, outcome) }
      );
    },
    recordSuccess: (tx) => clearFailures(tx, organizationId, to.id),
  };
}

async function sendAlert(
  { kinds, vault, baseUrl, statusPages }: Deps,
  deliveryId: string,
  to: ToChannel,
): Promise<Outcome> {
  const kind = kinds.find(({ type }) => type === to.type);
  if (!kind) return notSent(`this version can't send to channels of type ${to.type}`);
  let config: ReturnType<typeof readConfig>;
  try {
    config = readConfig(vault.open(to.sealedConfig, vaultContext(to.id)));
  } catch (error) {
    return notSent(error);
  }
  if (!config) return notSent("the channel's stored configuration is no object");
  const { organizationId, monitor } = to.alert;
  const notice = noticeOf(to.alert, { deliveryId, channelName: to.name, baseUrl });
  const statusPageUrl = kind.wantsStatusPage?.(config)
    ? await statusPages.urlFor(organizationId, monitor.id)
    : undefined;
  return kind.send(config, { ...notice, statusPageUrl, reached: to.reached });
}

async function recordFailure(
  { now, baseUrl }: Deps,
  tx: Transaction,
  channel: Channel,
  outcome: Outcome,
): Promise<void> {
  const { failedAlerts, broken } = outcomeForChannel(outcome, channel.failedAlerts);
  const blamed = { ...channel, failedAlerts };
  if (broken === undefined || channel.broken) return saveChannel(tx, blamed);
  const at = now();
  await saveChannel(tx, markBroken(blamed, broken, at));
  await appendEvents(tx, [channelBroken(channel, broken)], at);
  const { id, organizationId } = channel;
  const link = `${baseUrl}/api/v1/alert-channels/${id}`;
  await emailOwners(
    tx,
    { organizationId, eventId: v7(), kind: 'channel_broken', resourceId: id, occurredAt: at },
    channelBrokenLetter({ ...channel, link }, broken),
  );
}
