import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ALERT_EVENTS, recipientStatuses } from '@tocsin/enums';
import { DisableReason } from '@tocsin/proto/monitor/v1/events';
import type { Monitor } from '@tocsin/proto/monitor/v1/monitor';
import type { ChannelSchema, QuietHours, UpdateChannelRequest } from '@tocsin/proto/notifier/v1/channel';
import type { SubscriptionSchema } from '@tocsin/proto/notifier/v1/subscription';
import { type AlertMonitor, addressOf } from '../domain/alert.ts';
import type { Channel } from '../domain/channel.ts';
import { readConfig } from '../domain/channel-config.ts';
import { type ChannelLink, plainLinks } from '../domain/channel-link.ts';
import type { PolicyChanges } from '../domain/channel-policy.ts';
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
    ...channel.policy,
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

/** Returns the policy changes of a request. The number 0 or empty quiet hours reset a field to its default. */
export function policyFromProto({
  reminderMinutes,
  quietHours,
  maxMessagesPerHour,
}: Pick<UpdateChannelRequest, 'reminderMinutes' | 'quietHours' | 'maxMessagesPerHour'>): PolicyChanges {
  return {
    ...(reminderMinutes !== undefined && { reminderMinutes: reminderMinutes || null }),
    ...(quietHours && { quietHours: isReset(quietHours) ? null : quietHours }),
    ...(maxMessagesPerHour !== undefined && { maxMessagesPerHour: maxMessagesPerHour || null }),
  };
}

function isReset({ from, to, timeZone }: QuietHours): boolean {
  return from === '' && to === '' && timeZone === '';
}

/** Returns a monitor's links to channels with their settings. */
export function linksFromProto({ alertChannelIds, alertChannelLinks }: Monitor): ChannelLink[] {
  return plainLinks(alertChannelIds).map((link) => {
    const settings = alertChannelLinks.find(({ channelId }) => channelId === link.channelId);
    if (!settings) return link;
    const events = ALERT_EVENTS.filter((event) => settings.events.includes(event));
    return { ...link, afterMinutes: settings.afterMinutes, events: settings.events.length === 0 ? undefined : events };
  });
}

export function subscriptionToProto(subscription: Subscription): MessageInitShape<typeof SubscriptionSchema> {
  const { id, organizationId, url, events, enabled, disabled, createdAt, updatedAt } = subscription;
  const times = { createdAt: timestampFromDate(createdAt), updatedAt: timestampFromDate(updatedAt) };
  const disabledBySystem = disabled && { disabledAt: timestampFromDate(disabled.at), disabledReason: disabled.reason };
  return { id, organizationId, url, events: [...events], enabled, ...disabledBySystem, ...times };
}

/** Returns the monitor properties that alerts contain. */
export function alertMonitorFromProto({ id, name, configJson }: Monitor): AlertMonitor {
  return { id, name, url: addressOf(readConfig(configJson) ?? {}) };
}

/**
 * Returns why the system disables a monitor. `at` is the time of the event that reports the reason. An unknown reason
 * is treated as a long downtime.
 */
export function disableCauseFromProto(
  { reason, downSince, disruptions }: { reason: DisableReason; downSince?: Timestamp; disruptions: number },
  at: Date,
): DisableCause {
  if (reason === DisableReason.TOO_MANY_DISRUPTIONS) return { kind: 'disruptions', count: disruptions };
  return { kind: 'down', since: downSince ? timestampDate(downSince) : at, now: at };
}
