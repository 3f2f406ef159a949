import { toSeconds, toSecondsOrNull } from '@tocsin/api-json';
import { CHANNEL_SETTINGS, CHANNEL_TYPES, recipientStatuses } from '@tocsin/enums';
import type { Channel } from '@tocsin/proto/notifier/v1/channel';
import { type Static, Type } from 'typebox';
import { channelConfigs } from './channel-config.ts';
import { Id, idInput, Name, nullable, oneOf, pageQuery, shortText, Timestamp } from './common.ts';
import { Moment } from './moment.ts';
import { anyConfig, titleOf, withVariants } from './variants.ts';

const config = {
  type: 'object',
  maxProperties: 1_000,
  additionalProperties: true,
  description: 'Stored encrypted and never returned',
};

const Recipient = Type.Object({
  address: Type.String({
    maxLength: 320,
    description: 'Mail address, of which most of the part before the @ is hidden',
    examples: ['j***@example.com'],
  }),
  status: oneOf(recipientStatuses.names, {
    description:
      'pending: was asked to confirm by a mail, and gets nothing else until then; refused: the mail server took none of the last mail',
  }),
  error: nullable(
    shortText({ description: 'Why the mail server refused it, or why the mail that asks to confirm is delayed' }),
  ),
});

const MAX_TIME_ZONE = 64;

/** Returns the schema of a wall-clock time. The schema checks only the length; the service rejects invalid times. */
const clock = (example: string) => Type.String({ maxLength: 5, description: 'HH:MM', examples: [example] });

const QuietHours = Type.Object(
  {
    from: clock('22:00'),
    to: clock('07:00'),
    time_zone: Type.String({
      maxLength: MAX_TIME_ZONE,
      description: 'Name in the IANA time zone database',
      examples: ['Europe/Berlin'],
    }),
  },
  {
    description:
      'Daily time in which nothing is sent, by the wall clock; `to` before `from` is on the next day. At its end, one message names what was held back. Not for types that page people',
  },
);

const REMINDER = {
  ...CHANNEL_SETTINGS.reminder_minutes,
  description:
    'Minutes between reminders while a monitor is down and its disruption is not acknowledged; null: no reminders',
};

const LIMIT = {
  ...CHANNEL_SETTINGS.max_messages_per_hour,
  description:
    'Maximum number of messages per hour. The last one says so, and one message after the hour names what was held back; null: the default of the installation (60). Not for types that page people',
};

const policy = {
  reminder_minutes: nullable(Type.Integer(REMINDER)),
  quiet_hours: nullable(QuietHours),
  max_messages_per_hour: nullable(Type.Integer(LIMIT)),
};

export const ChannelSchema = Type.Object({
  id: Id,
  name: Name,
  type: Type.String({ enum: CHANNEL_TYPES }),
  enabled: Type.Boolean(),
  default_for_new_monitors: Type.Boolean(),
  broken_at: nullable(Timestamp),
  broken_reason: nullable(
    shortText({
      description: 'Why the channel is broken and what to do, such as the response of its receiver',
    }),
  ),
  fallback_channel_id: nullable({ ...Id, description: 'Gets the alerts while this channel is broken' }),
  ...policy,
  recipients: Type.Array(Recipient, {
    maxItems: 50,
    description: 'Of a channel of type email: who gets its mails, in the order of its config; else empty',
  }),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

const flags = {
  enabled: Type.Optional(Type.Boolean({ default: true })),
  default_for_new_monitors: Type.Optional(Type.Boolean({ default: false })),
  fallback_channel_id: Type.Optional(
    nullable(idInput('UUID of another alert channel, which gets the alerts while this one is broken')),
  ),
  reminder_minutes: Type.Optional(policy.reminder_minutes),
  quiet_hours: Type.Optional(policy.quiet_hours),
  max_messages_per_hour: Type.Optional(policy.max_messages_per_hour),
};

export const ChannelCreate = withVariants(
  Type.Object({
    name: Name,
    type: oneOf(CHANNEL_TYPES),
    config: Type.Unsafe<Record<string, unknown>>(config),
    ...flags,
  }),
  'type',
  Object.fromEntries(
    CHANNEL_TYPES.map((type) => [
      type,
      { title: titleOf('create', type, 'channel'), fields: { config: channelConfigs[type] } },
    ]),
  ),
);

export const ChannelPatch = Type.Object({
  name: Type.Optional(Name),
  type: Type.Optional(oneOf(CHANNEL_TYPES)),
  config: Type.Optional(anyConfig(config, channelConfigs)),
  ...flags,
});

export const ChannelQuery = Type.Object({
  type: Type.Optional(oneOf(CHANNEL_TYPES)),
  enabled: Type.Optional(Type.Boolean()),
  ...pageQuery,
});

/** Body of a request that resends the messages that a channel or webhook has not received since a given time. */
export const Replay = Type.Object({
  since: Type.String({ ...Moment, description: 'ISO 8601 with an offset; at most 30 days ago and not in the future' }),
});

export const Replayed = Type.Object({
  replayed: Type.Integer({ minimum: 0, maximum: 1_000, description: 'Deliveries that are sent again' }),
});

/**
 * Maps the policy of a channel (how often and when it receives messages) to its protobuf form. Null resets a setting;
 * protobuf expresses this with zero or an empty message.
 */
export function channelPolicy(body: Static<typeof ChannelPatch>) {
  const { reminder_minutes, quiet_hours, max_messages_per_hour } = body;
  return {
    reminderMinutes: reminder_minutes === null ? 0 : reminder_minutes,
    quietHours:
      quiet_hours === null
        ? {}
        : quiet_hours && { from: quiet_hours.from, to: quiet_hours.to, timeZone: quiet_hours.time_zone },
    maxMessagesPerHour: max_messages_per_hour === null ? 0 : max_messages_per_hour,
  };
}

export function toChannelJson(channel: Channel): Static<typeof ChannelSchema> {
  return {
    id: channel.id,
    name: channel.name,
    type: channel.type,
    enabled: channel.enabled,
    default_for_new_monitors: channel.defaultForNewMonitors,
    broken_at: toSecondsOrNull(channel.brokenAt),
    broken_reason: channel.brokenReason ?? null,
    fallback_channel_id: channel.fallbackChannelId || null,
    reminder_minutes: channel.reminderMinutes ?? null,
    quiet_hours: channel.quietHours
      ? { from: channel.quietHours.from, to: channel.quietHours.to, time_zone: channel.quietHours.timeZone }
      : null,
    max_messages_per_hour: channel.maxMessagesPerHour ?? null,
    recipients: channel.recipients.map(({ address, status, error }) => ({
      address,
      status: recipientStatuses.toName(status),
      error: error === '' ? null : error,
    })),
    inserted_at: toSeconds(channel.createdAt),
    updated_at: toSeconds(channel.updatedAt),
  };
}
