import { toSeconds, toSecondsOrNull } from '@tocsin/api-json';
import { CHANNEL_TYPES } from '@tocsin/enums';
import type { Channel } from '@tocsin/proto/notifier/v1/channel';
import { type Static, Type } from 'typebox';
import { channelConfigs } from './channel-config.ts';
import { Id, Name, nullable, oneOf, pageQuery, shortText, Timestamp } from './common.ts';
import { anyConfig, titleOf, withVariants } from './variants.ts';

const config = {
  type: 'object',
  maxProperties: 1_000,
  additionalProperties: true,
  description: 'Stored encrypted and never returned',
};

export const ChannelSchema = Type.Object({
  id: Id,
  name: Name,
  type: Type.String({ enum: CHANNEL_TYPES }),
  enabled: Type.Boolean(),
  default_for_new_monitors: Type.Boolean(),
  broken_at: nullable(Timestamp),
  broken_reason: nullable(shortText()),
  inserted_at: Timestamp,
  updated_at: Timestamp,
});

const flags = {
  enabled: Type.Optional(Type.Boolean({ default: true })),
  default_for_new_monitors: Type.Optional(Type.Boolean({ default: false })),
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

export function toChannelJson(channel: Channel): Static<typeof ChannelSchema> {
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
