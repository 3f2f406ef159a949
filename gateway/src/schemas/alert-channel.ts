import type { Channel } from '@tocsin/proto/notifier/v1/channel';
import { toSeconds, toSecondsOrNull } from '@tocsin/resources';
import { type Static, Type } from 'typebox';
import { Id, Name, nullable, oneOf, pageQuery, Timestamp } from './common.ts';

/** Every type of the contract; the notifier says which of them this installation can send. */
export const CHANNEL_TYPES = [
  'webhook',
  'slack',
  'discord',
  'email',
  'pagerduty',
  'teams',
  'mattermost',
  'telegram',
  'ntfy',
  'pushover',
  'ilert',
  'incident_io',
  'grafana_irm',
  'sms',
] as const;

const Config = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Type-specific; stored encrypted and never answered',
  examples: [{ url: 'https://hooks.example.com/tocsin' }],
});

export const ChannelAnswer = Type.Object({
  id: Id,
  name: Name,
  type: Type.String({ enum: CHANNEL_TYPES }),
  enabled: Type.Boolean(),
  default_for_new_monitors: Type.Boolean(),
  broken_at: nullable(Timestamp),
  broken_reason: nullable(Type.String()),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

const flags = {
  enabled: Type.Optional(Type.Boolean({ default: true })),
  default_for_new_monitors: Type.Optional(Type.Boolean({ default: false })),
};

export const ChannelCreate = Type.Object({ name: Name, type: oneOf(CHANNEL_TYPES), config: Config, ...flags });

export const ChannelPatch = Type.Object({
  name: Type.Optional(Name),
  type: Type.Optional(oneOf(CHANNEL_TYPES)),
  config: Type.Optional(Config),
  ...flags,
});

export const ChannelQuery = Type.Object({
  type: Type.Optional(oneOf(CHANNEL_TYPES)),
  enabled: Type.Optional(Type.Boolean()),
  ...pageQuery,
});

export function channelAnswer(channel: Channel): Static<typeof ChannelAnswer> {
  return {
    id: channel.id,
    name: channel.name,
    type: channel.type,
    enabled: channel.enabled,
    default_for_new_monitors: channel.defaultForNewMonitors,
    broken_at: toSecondsOrNull(channel.brokenAt),
    broken_reason: channel.brokenReason ?? null,
    inserted_at: toSeconds(channel.createdAt),
    updated_at: toSeconds(channel.updatedAt),
  };
}
