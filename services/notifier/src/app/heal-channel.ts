import type { Transaction } from '@tocsin/database';
import { appendEvents } from '@tocsin/outbox';
import { v7 } from 'uuid';
import { channelHealedAlert } from '../domain/alert.ts';
import type { Channel } from '../domain/channel.ts';
import { HELD_MS } from '../domain/held.ts';
import { decideRelease, textOfHold } from '../domain/hold-back.ts';
import { isPager } from '../domain/incident.ts';
import { channelLink } from '../domain/notice.ts';
import { channelHealed as channelHealedEmail, type HealCause } from '../domain/owner-emails.ts';
import { quietUntil } from '../domain/quiet-hours.ts';
import { channelHealed } from '../events/outgoing.ts';
import { insertAlert } from '../storage/alert-store.ts';
import { withdrawBrokenNotices } from '../storage/broken-notice-store.ts';
import { lockAlertedChannels, saveChannel } from '../storage/channel-store.ts';
import { releaseHeld } from '../storage/held-store.ts';
import { holdBack, lockHours, saveHours } from '../storage/hold-store.ts';
import { emailOwners } from './email-owners.ts';
import { insertByPolicy } from './insert-by-policy.ts';
import type { Deps } from './ports.ts';

/**
 * Saves a channel that is healthy again, and publishes its recovery. The alerts that were held while the channel was
 * broken become due at once, or at the end of quiet hours. If there are more alerts than the hourly limit allows, they
 * are replaced by one message that lists them. All channels and owners that got a message about the broken channel are
 * notified that the channel is enabled again.
 */
export async function healChannel(
  deps: Deps,
  tx: Transaction,
  { broken, healthy, cause }: { broken: Channel; healthy: Channel; cause: HealCause },
): Promise<void> {
  await saveChannel(tx, healthy);
  const now = deps.now();
  const released = await releaseHeld(tx, broken, { since: new Date(now.getTime() - HELD_MS), now });
  if (released.length > 0 && !isPager(healthy.type)) await applyPolicy(deps, tx, healthy, released, now);
  await appendEvents(tx, [channelHealed(healthy)], now);
  const { channelIds, owners } = await withdrawBroken(tx, broken, now);
  const { id, organizationId } = healthy;
  if (owners) {
    await emailOwners(
      tx,
      { organizationId, eventId: v7(), kind: 'channel_healed', resourceId: id, occurredAt: now },
      channelHealedEmail({ ...healthy, link: channelLink(deps.baseUrl, id) }, cause),
    );
  }
  const channels = await lockAlertedChannels(tx, organizationId, channelIds);
  const alerted = channels.filter((channel) => channelIds.includes(channel.id));
  if (alerted.length === 0) return;
  const alert = channelHealedAlert({ id: v7(), organizationId, eventId: v7(), channel: healthy, now });
  await insertAlert(tx, alert);
  await insertByPolicy(deps, tx, { alert, channels: alerted });
}

/**
 * Drops unsent messages that report this channel as broken. Returns the channels that already got such a message, and
 * whether an owner got one.
 */
export async function withdrawBroken(
  tx: Transaction,
  { id, organizationId, broken }: Channel,
  now: Date,
): Promise<{ channelIds: string[]; owners: boolean }> {
  if (!broken) return { channelIds: [], owners: false };
  const error = 'the channel is not broken any more';
  return withdrawBrokenNotices(tx, { id, organizationId, brokenAt: broken.at }, { error, now });
}

async function applyPolicy(
  { maxMessagesPerHour }: Deps,
  tx: Transaction,
  { id, organizationId, policy }: Channel,
  released: readonly string[],
  now: Date,
): Promise<void> {
  const hours = await lockHours(tx, { organizationId, now }, [id]);
  const state = {
    quietUntil: policy.quietHours && quietUntil(policy.quietHours, now),
    hour: hours.get(id),
    limit: policy.maxMessagesPerHour ?? maxMessagesPerHour,
  };
  const { hold, hour } = decideRelease(released.length, state, now);
  if (hour) saveHours(tx, new Map([[id, hour]]));
  if (hold) await holdBack(tx, released, { hold, error: textOfHold(hold), now });
}
