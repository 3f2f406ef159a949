import { isObject, type JsonObject, textOf } from '../json.ts';
import { literal } from './names.ts';
import type { Report } from './report.ts';

/** Converts the settings of a notification to a type and a config. */
type Conversion = (settings: JsonObject) => { readonly type: string; readonly config: JsonObject };

const text = (settings: JsonObject, name: string) => literal(String(settings[name] ?? ''));

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  slack: (from) => ({ type: 'slack', config: { webhook_url: text(from, 'slackwebhookURL') } }),
  discord: (from) => ({ type: 'discord', config: { webhook_url: text(from, 'discordWebhookUrl') } }),
  telegram: (from) => ({
    type: 'telegram',
    config: {
      bot_token: text(from, 'telegramBotToken'),
      chat_id: text(from, 'telegramChatID'),
      ...(from.telegramMessageThreadID ? { message_thread_id: text(from, 'telegramMessageThreadID') } : {}),
    },
  }),
  smtp: (from) => ({
    type: 'email',
    config: {
      recipients: ['smtpTo', 'smtpCC', 'smtpBCC'].flatMap((field) =>
        text(from, field)
          .split(',')
          .map((address) => address.trim())
          .filter(Boolean),
      ),
    },
  }),
  webhook: (from) => ({ type: 'webhook', config: { url: text(from, 'webhookURL') } }),
  PagerDuty: (from) => ({ type: 'pagerduty', config: { integration_key: text(from, 'pagerdutyIntegrationKey') } }),
  teams: (from) => ({ type: 'teams', config: { webhook_url: text(from, 'webhookUrl') } }),
  mattermost: (from) => ({
    type: 'mattermost',
    config: {
      webhook_url: text(from, 'mattermostWebhookUrl'),
      ...(from.mattermostchannel ? { channel: text(from, 'mattermostchannel') } : {}),
      ...(from.mattermostusername ? { username: text(from, 'mattermostusername') } : {}),
    },
  }),
  ntfy: (from) => ({
    type: 'ntfy',
    config: {
      topic: text(from, 'ntfytopic'),
      ...(from.ntfyserverurl ? { server_url: text(from, 'ntfyserverurl') } : {}),
      ...(from.ntfyaccesstoken ? { access_token: text(from, 'ntfyaccesstoken') } : {}),
    },
  }),
  pushover: (from) => ({
    type: 'pushover',
    config: { user_key: text(from, 'pushoveruserkey'), api_token: text(from, 'pushoverapptoken') },
  }),
  Opsgenie: (from) => ({
    type: 'opsgenie',
    config: { api_key: text(from, 'opsgenieApiKey'), ...(from.opsgenieRegion === 'eu' ? { region: 'eu' } : {}) },
  }),
  GoogleChat: (from) => ({ type: 'google_chat', config: { webhook_url: text(from, 'googleChatWebhookURL') } }),
  matrix: (from) => ({
    type: 'matrix',
    config: {
      homeserver_url: text(from, 'homeserverUrl'),
      access_token: text(from, 'accessToken'),
      room_id: text(from, 'internalRoomId'),
    },
  }),
};

/** Settings that have no counterpart in Tocsin, with their notification types. */
const LOSSES: readonly (readonly [type: string, field: string, difference: string])[] = [
  ['webhook', 'webhookCustomBody', 'the custom body is left out; see payload_template'],
  ['webhook', 'webhookAdditionalHeaders', 'the additional headers are left out; see headers'],
  ['smtp', 'smtpHost', 'mails are sent by the mail server of Tocsin'],
  ['slack', 'slackchannel', 'the webhook decides the channel'],
  ['ntfy', 'ntfyusername', 'user name and password are left out; use an access_token'],
];

/** Converts an Uptime Kuma notification. If there is no channel type for it, reports that and returns undefined. */
export function kumaChannel(row: JsonObject, name: string, report: Report): JsonObject | undefined {
  const settings = settingsOf(row);
  const type = textOf(settings.type);
  const convert = Object.hasOwn(CONVERSIONS, type) ? CONVERSIONS[type] : undefined;
  if (!convert) {
    report.skip(`"${name}"`, `there are no alert channels of type ${type || 'unknown'}`);
    return undefined;
  }
  for (const [of, field, difference] of LOSSES) {
    if (of === type && settings[field]) report.change(`"${name}"`, difference);
  }
  const isDefault = [row.isDefault, row.is_default, settings.isDefault].some((value) => value === true || value === 1);
  const isOff = row.active === false || row.active === 0;
  return {
    name,
    ...convert(settings),
    ...(isDefault && { default_for_new_monitors: true }),
    ...(isOff && { enabled: false }),
  };
}

/** Returns the settings of a notification. A database contains them as JSON text. */
function settingsOf({ config }: JsonObject): JsonObject {
  if (isObject(config)) return config;
  try {
    const settings: unknown = JSON.parse(textOf(config));
    return isObject(settings) ? settings : {};
  } catch {
    return {};
  }
}
