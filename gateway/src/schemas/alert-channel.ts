import { toSeconds, toSecondsOrNull } from '@tocsin/api-json';
import { CHANNEL_TYPES, recipientStatuses } from '@tocsin/enums';
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
  error: nullable(shortText({ description: 'Why the mail server refused it' })),
});

export const ChannelSchema = Type.Object({
  id: Id,
  name: Name,
  type: Type.String({ enum: CHANNEL_TYPES }),
  enabled: Type.Boolean(),
  default_for_new_monitors: Type.Boolean(),
  broken_at: nullable(Timestamp),
  broken_reason: nullable(shortText()),
  fallback_channel_id: nullable({ ...Id, description: 'Gets the alerts while this channel is broken' }),
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

/** Body of a replay. */
export const Replay = Type.Object({
  since: Type.String({ ...Moment, description: 'ISO 8601 with an offset; at most 30 days ago and not in the future' }),
});

export const Replayed = Type.Object({
  replayed: Type.Integer({ minimum: 0, maximum: 1_000, description: 'Deliveries that are sent again' }),
});

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
    recipients: channel.recipients.map(({ address, status, error }) => ({
      address,
      status: recipientStatuses.toName(status),
      error: error === '' ? null : error,
    })),
    inserted_at: toSeconds(channel.createdAt),
    updated_at: toSeconds(channel.updatedAt),
  };
}
