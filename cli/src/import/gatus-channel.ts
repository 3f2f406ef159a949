import { isObject, type Json, type JsonObject, textOf } from '../json.ts';
import type { Report } from './report.ts';

type Conversion = (settings: JsonObject) => { readonly type: string; readonly config: JsonObject };

/**
 * Returns a setting as text. A variable is written as `${NAME}`. The command `apply` inserts its value, as Gatus does.
 */
const text = (settings: JsonObject, name: string) =>
  String(settings[name] ?? '').replace(/\$(\$|[A-Za-z_]\w*)/g, (_, word: string) =>
    // Gatus reads $$ as a literal dollar sign.
    word === '$' ? '$' : `\${${word}}`,
  );

/** Returns an object with one config field; an empty object if the setting does not exist. */
const optional = (field: string, settings: JsonObject, name: string): JsonObject =>
  settings[name] === undefined ? {} : { [field]: text(settings, name) };

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  slack: (from) => ({ type: 'slack', config: { webhook_url: text(from, 'webhook-url') } }),
  discord: (from) => ({ type: 'discord', config: { webhook_url: text(from, 'webhook-url') } }),
  teams: (from) => ({ type: 'teams', config: { webhook_url: text(from, 'webhook-url') } }),
  'teams-workflows': (from) => ({ type: 'teams', config: { webhook_url: text(from, 'webhook-url') } }),
  googlechat: (from) => ({ type: 'google_chat', config: { webhook_url: text(from, 'webhook-url') } }),
  mattermost: (from) => ({
    type: 'mattermost',
    config: { webhook_url: text(from, 'webhook-url'), ...optional('channel', from, 'channel') },
  }),
  telegram: (from) => ({
    type: 'telegram',
    config: {
      bot_token: text(from, 'token'),
      chat_id: text(from, 'id'),
      ...optional('message_thread_id', from, 'topic-id'),
    },
  }),
  email: (from) => ({
    type: 'email',
    config: {
      recipients: text(from, 'to')
        .split(',')
        .map((address): Json => address.trim()),
    },
  }),
  pagerduty: (from) => ({ type: 'pagerduty', config: { integration_key: text(from, 'integration-key') } }),
  opsgenie: (from) => ({ type: 'opsgenie', config: { api_key: text(from, 'api-key') } }),
  ilert: (from) => ({ type: 'ilert', config: { api_key: text(from, 'integration-key') } }),
  'incident-io': (from) => ({
    type: 'incident_io',
    config: { alert_source_url: text(from, 'url'), api_token: text(from, 'auth-token') },
  }),
  ntfy: (from) => ({
    type: 'ntfy',
    config: {
      topic: text(from, 'topic'),
      ...optional('server_url', from, 'url'),
      ...optional('access_token', from, 'token'),
    },
  }),
  pushover: (from) => ({
    type: 'pushover',
    config: { user_key: text(from, 'user-key'), api_token: text(from, 'application-token') },
  }),
  matrix: (from) => ({
    type: 'matrix',
    config: {
      homeserver_url: text(from, 'server-url') || 'https://matrix-client.matrix.org',
      access_token: text(from, 'access-token'),
      room_id: text(from, 'internal-room-id'),
    },
  }),
  twilio: (from) => ({
    type: 'sms',
    config: {
      account_sid: text(from, 'sid'),
      auth_token: text(from, 'token'),
      from: text(from, 'from'),
      to: text(from, 'to'),
    },
  }),
  custom: (from) => ({ type: 'webhook', config: { url: text(from, 'url') } }),
};

/** Converts an alert provider. If there is no channel type for it, reports that and returns undefined. */
export function gatusChannel(provider: string, settings: unknown, report: Report): JsonObject[] | undefined {
  const convert = Object.hasOwn(CONVERSIONS, provider) ? CONVERSIONS[provider] : undefined;
  if (!convert || !isObject(settings)) {
    report.skip(`"${provider}"`, 'there are no alert channels of this type');
    return undefined;
  }
  if (Array.isArray(settings.overrides) && settings.overrides.length > 0) {
    report.change(`"${provider}"`, 'overrides for groups are left out');
  }
  if (provider === 'custom') report.change('"custom"', 'body and headers are left out; see payload_template');
  if (provider === 'email' && textOf(settings.host)) {
    report.change('"email"', 'mails are sent by the mail server of Tocsin');
  }
  return [{ name: provider, ...convert(settings) }];
}
