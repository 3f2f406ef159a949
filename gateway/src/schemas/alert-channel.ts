import type { Channel } from '@tocsin/proto/notifier/v1/channel';
import { toSeconds, toSecondsOrNull } from '@tocsin/resources';
import { type Static, Type } from 'typebox';
import { Id, Name, nullable, oneOf, pageQuery, shortText, Timestamp } from './common.ts';

/** Every type of the contract. */
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

/** What a type is configured with. The notifier checks it. */
const CONFIGS: Record<(typeof CHANNEL_TYPES)[number], string> = {
  webhook: '`url`; optional `headers`, `payload_template`, `signing_secret`',
  slack: '`webhook_url`; or `bot_token` and `channel_id`; optional `channel_name`',
  discord: '`webhook_url`',
  email: '`recipients` (1 to 50 addresses)',
  pagerduty: '`integration_key`',
  teams: '`webhook_url`',
  mattermost: '`webhook_url`; optional `channel`, `username`',
  telegram: '`bot_token`, `chat_id`',
  ntfy: '`topic`; optional `server_url`, `access_token`',
  pushover: '`user_key`, `api_token`',
  ilert: '`api_key`',
  incident_io: '`alert_source_url`, `api_token`',
  grafana_irm: '`integration_url`',
  sms: '`account_sid`, `auth_token`, `from`, `to`',
};

const Config = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  maxProperties: 100,
  additionalProperties: true,
  description: [
    'Stored encrypted and never answered. By type:',
    '',
    ...Object.entries(CONFIGS).map(([type, fields]) => `- \`${type}\`: ${fields}`),
  ].join('\n'),
  examples: [{ url: 'https://hooks.example.com/tocsin' }],
});

export const ChannelAnswer = Type.Object({
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
