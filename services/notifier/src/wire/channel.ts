import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { recipientStatuses } from '@tocsin/enums';
import { DisableReason } from '@tocsin/proto/monitor/v1/events';
import type { Monitor } from '@tocsin/proto/monitor/v1/monitor';
import type { ChannelSchema } from '@tocsin/proto/notifier/v1/channel';
import type { SubscriptionSchema } from '@tocsin/proto/notifier/v1/subscription';
import { type AlertMonitor, addressOf } from '../domain/alert.ts';
import type { Channel } from '../domain/channel.ts';
import { readConfig } from '../domain/channel-config.ts';
import { type MailRecipient, maskAddress } from '../domain/mail-recipient.ts';
import type { DisableCause } from '../domain/owner-emails.ts';
import type { Subscription } from '../domain/subscription.ts';

export function channelToProto(
  channel: Channel,
  recipients: readonly MailRecipient[],
): MessageInitShape<typeof ChannelSchema> {
  const { broken } = channel;
  return {
    id: channel.id,
    organizationId: channel.organizationId,
    name: channel.name,
    type: channel.type,
    enabled: channel.enabled,
    defaultForNewMonitors: channel.defaultForNewMonitors,
    fallbackChannelId: channel.fallbackChannelId ?? '',
    ...(broken && { brokenAt: timestampFromDate(broken.at), brokenReason: broken.reason }),
    createdAt: timestampFromDate(channel.createdAt),
    updatedAt: timestampFromDate(channel.updatedAt),
    recipients: recipients.map(({ address, status, error }) => ({
      address: maskAddress(address),
      status: recipientStatuses.toValue(status),
      error,
    })),
  };
}

export function subscriptionToProto(subscription: Subscription): MessageInitShape<typeof SubscriptionSchema> {
  const { id, organizationId, url, events, enabled, disabled, createdAt, updatedAt } = subscription;
  const times = { createdAt: timestampFromDate(createdAt), updatedAt: timestampFromDate(updatedAt) };
  const disabledBySystem = disabled && { disabledAt: timestampFromDate(disabled.at), disabledReason: disabled.reason };
  return { id, organizationId, url, events: [...events], enabled, ...disabledBySystem, ...times };
}

/** Returns the properties of a monitor that alerts show. */
export function alertMonitorFromProto({ id, name, configJson }: Monitor): AlertMonitor {
  return { id, name, url: addressOf(readConfig(configJson) ?? {}) };
}

/** Returns why a monitor is disabled, as of the given time. An unknown reason is treated as a long downtime. */
export function disableCauseFromProto(
  { reason, downSince, disruptions }: { reason: DisableReason; downSince?: Timestamp; disruptions: number },
  at: Date,
): DisableCause {
  if (reason === DisableReason.TOO_MANY_DISRUPTIONS) return { kind: 'disruptions', count: disruptions };
  return { kind: 'down', since: downSince ? timestampDate(downSince) : at, now: at };
}
