import type { ChannelType } from '@tocsin/enums';
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { MAX_URL } from './common.ts';
import { titleOf } from './variants.ts';

const Url = Type.String({
  format: 'uri',
  maxLength: MAX_URL,
  description: 'https URL',
  examples: ['https://hooks.example.com/tocsin'],
});

/** Schema of a token, a key or an id. */
const Secret = Type.String({ maxLength: 255, examples: ['s3cret'] });
const Label = Type.String({ maxLength: 255 });

function url(example: string) {
  return { ...Url, examples: [example] };
}

/** Schema of each channel type's config, for the OpenAPI document. The notifier validates the configs. */
export const channelConfigs: Readonly<Record<ChannelType, TObject>> = {
  webhook: config('webhook', {
    url: Url,
    headers: optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        maxProperties: 20,
        additionalProperties: { type: 'string', maxLength: 8_192 },
        description: 'Headers of the request',
      }),
    ),
    payload_template: optional(
      Type.String({
        maxLength: 65_536,
        description:
          'JSON with `{{variable}}` inside its strings; an unknown variable becomes empty; at most 65536 bytes and ' +
          '200 variables. An alert whose filled body would be longer than 262144 bytes is not sent',
        examples: ['{"text": "{{monitor_name}} is {{status}}"}'],
      }),
    ),
    signing_secret: optional(
      Type.String({
        maxLength: 1_024,
        description: 'Signs deliveries as Standard Webhooks specifies: `whsec_` and at least 24 bytes in base64',
        examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      }),
    ),
  }),
  slack: config('slack', {
    webhook_url: optional({
      ...url('https://hooks.slack.com/services/T0/B0/x'),
      description: 'Incoming webhook; or else `bot_token` with `channel_id`',
    }),
    bot_token: optional({ ...Secret, examples: ['xoxb-1'] }),
    channel_id: optional({ ...Secret, examples: ['C024BE91L'] }),
    channel_name: optional({ ...Label, examples: ['alerts'] }),
  }),
  discord: config('discord', { webhook_url: url('https://discord.com/api/webhooks/1/x') }),
  email: config('email', {
    recipients: Type.Array(Type.String({ maxLength: 254 }), {
      minItems: 1,
      maxItems: 50,
      description: 'Mail addresses',
      examples: [['jane@example.com']],
    }),
  }),
  pagerduty: config('pagerduty', {
    integration_key: Type.String({
      maxLength: 32,
      pattern: '^[0-9A-Za-z]{32}$',
      'x-pattern-message': 'must be 32 letters and digits',
      examples: ['0123456789abcdef0123456789abcdef'],
    }),
    region: optional(
      Type.String({ enum: ['us', 'eu'], description: 'Where the PagerDuty account is; absent: us', examples: ['eu'] }),
    ),
  }),
  teams: config('teams', { webhook_url: Url }),
  mattermost: config('mattermost', {
    webhook_url: Url,
    channel: optional({ ...Label, examples: ['alerts'] }),
    username: optional({ ...Label, examples: ['tocsin'] }),
  }),
  telegram: config('telegram', {
    bot_token: Type.String({
      maxLength: 255,
      pattern: '^\\d+:[A-Za-z0-9_-]+$',
      'x-pattern-message': 'must be a token of BotFather such as 123456:ABC-def',
      examples: ['123456:ABC-def'],
    }),
    chat_id: Type.Unsafe<string | number>({
      type: ['string', 'integer'],
      maxLength: 65,
      description: 'Number of a chat, or `@channelname`',
      examples: ['-1001234567890'],
    }),
    message_thread_id: optional(
      Type.Unsafe<string | number>({
        type: ['string', 'integer'],
        maxLength: 16,
        description: 'Number of a topic of a forum; absent: its general topic',
        examples: ['42'],
      }),
    ),
  }),
  ntfy: config('ntfy', {
    topic: Type.String({
      maxLength: 64,
      pattern: '^[-_A-Za-z0-9]+$',
      'x-pattern-message': 'must be 1 to 64 letters, digits, - or _',
      examples: ['acme-alerts'],
    }),
    server_url: optional({ ...url('https://ntfy.sh'), description: 'Absent: https://ntfy.sh' }),
    access_token: optional(Secret),
  }),
  pushover: config('pushover', { user_key: Secret, api_token: Secret }),
  ilert: config('ilert', { api_key: Secret }),
  incident_io: config('incident_io', {
    alert_source_url: url('https://api.incident.io/v2/alert_events/http/1'),
    api_token: Secret,
  }),
  grafana_irm: config('grafana_irm', { integration_url: Url }),
  sms: config('sms', {
    account_sid: Type.String({ maxLength: 64, examples: ['AC0123456789'] }),
    auth_token: Secret,
    from: Type.String({ maxLength: 34, examples: ['+15551234567'] }),
    to: Type.String({
      maxLength: 16,
      pattern: '^\\+[1-9]\\d{1,14}$',
      'x-pattern-message': 'must be a number in international form such as +15551234567',
      examples: ['+15557654321'],
    }),
  }),
  google_chat: config('google_chat', {
    webhook_url: url('https://chat.googleapis.com/v1/spaces/AAAA/messages?key=k&token=t'),
  }),
  matrix: config('matrix', {
    homeserver_url: url('https://matrix.example.com'),
    access_token: Secret,
    room_id: Type.String({ maxLength: 255, description: 'Id of a room, not an alias', examples: ['!abc:example.com'] }),
  }),
  zulip: config('zulip', {
    site_url: url('https://acme.zulipchat.com'),
    bot_email: Type.String({ maxLength: 255, examples: ['alerts-bot@acme.zulipchat.com'] }),
    api_key: Secret,
    stream: Type.String({ maxLength: 60, description: 'Name of a channel', examples: ['ops'] }),
    topic: Type.String({ maxLength: 60, examples: ['alerts'] }),
  }),
  opsgenie: config('opsgenie', {
    api_key: Secret,
    region: optional(
      Type.String({ enum: ['us', 'eu'], description: 'Where the Opsgenie account is; absent: us', examples: ['eu'] }),
    ),
    server_url: optional({ ...url('https://alerts.example.com'), description: 'Another server with the same API' }),
  }),
  jira_service_management: config('jira_service_management', { api_key: Secret }),
  sns: config('sns', {
    topic_arn: Type.String({ maxLength: 400, examples: ['arn:aws:sns:eu-central-1:123456789012:alerts'] }),
    access_key_id: Type.String({ maxLength: 255, examples: ['AKIAIOSFODNN7EXAMPLE'] }),
    secret_access_key: Secret,
  }),
  apprise: config('apprise', {
    server_url: url('https://apprise.example.com'),
    key: optional(
      Type.String({ maxLength: 128, description: 'Stored configuration; or else `urls`', examples: ['ops'] }),
    ),
    urls: optional(
      Type.String({
        maxLength: 4_096,
        description: 'Apprise URLs, separated by commas',
        examples: ['json://example.com'],
      }),
    ),
    tag: optional(Type.String({ maxLength: 255, description: 'Only services with this tag', examples: ['night'] })),
  }),
};

function config(type: ChannelType, fields: TProperties): TObject {
  return Type.Object(fields, {
    title: `${titleOf(type)}ChannelConfig`,
    additionalProperties: true,
    maxProperties: 1_000,
    description: 'Stored encrypted and never returned',
  });
}

function optional<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(schema);
}
