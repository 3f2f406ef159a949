import type { Transaction } from '@tocsin/database';
import type { ChannelType } from '@tocsin/enums';
import { appendEvents } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { channelBrokenAlert } from '../domain/alert.ts';
import { type Channel, markBroken } from '../domain/channel.ts';
import { HELD } from '../domain/held.ts';
import { PAGERS } from '../domain/incident.ts';
import { channelLink } from '../domain/notice.ts';
import { channelBroken as channelBrokenEmail } from '../domain/owner-emails.ts';
import { channelBroken } from '../events/outgoing.ts';
import { insertAlert } from '../storage/alert-store.ts';
import { findOtherChannels, lockChannels, saveChannel } from '../storage/channel-store.ts';
import { holdPending } from '../storage/held-store.ts';
import { emailOwners } from './email-owners.ts';
import { handOver } from './hand-over.ts';
import { insertByPolicy } from './insert-by-policy.ts';
import type { Deps } from './ports.ts';

/** Maximum number of other channels that are alerted when a channel breaks. */
const MAX_NOTIFIED = 10;
/**
 * Types of channels that are not alerted about a broken channel, because they page people or charge for each message.
 */
const NOT_NOTIFIED = [...PAGERS, 'sms' satisfies ChannelType];

/**
 * Marks a channel as broken. Holds the channel's waiting deliveries until the channel is healthy again, and also sends
 * them to its fallback. Sends an email to the owners and an alert to the organization's other channels.
 */
export async function breakChannel(deps: Deps, tx: Transaction, channel: Channel, reason: string): Promise<void> {
  const { baseUrl, retryBaseMs } = deps;
  const now = deps.now();
  const { id, organizationId } = channel;
  await saveChannel(tx, markBroken(channel, reason, now, retryBaseMs));
  await holdPending(tx, channel, HELD);
  await appendEvents(tx, [channelBroken(channel, reason)], now);
  await emailOwners(
    tx,
    { organizationId, eventId: v7(), kind: 'channel_broken', resourceId: id, occurredAt: now },
    channelBrokenEmail({ ...channel, link: channelLink(baseUrl, id) }, reason),
  );
  await alertOthers(deps, tx, channel, { reason, now });
  await handOver(deps, tx, channel);
}

async function alertOthers(
  deps: Deps,
  tx: Transaction,
  channel: Channel,
  { reason, now }: { reason: string; now: Date },
): Promise<void> {
  const { id: exceptId, organizationId } = channel;
  const others = await findOtherChannels(tx, {
    organizationId,
    exceptId,
    exceptTypes: NOT_NOTIFIED,
    limit: MAX_NOTIFIED,
  });
  if (others.length === 0) return;
  const alert = channelBrokenAlert({ id: v7(), organizationId, eventId: v7(), channel, reason, now });
  await insertAlert(tx, alert);
  await insertByPolicy(deps, tx, { alert, channels: await lockChannels(tx, organizationId, others) });
}
