import type { FieldErrors } from '@tocsin/errors';
import { expect, test } from 'vitest';
import { configErrors } from '../../test/config-errors.ts';
import type { ChannelConfig } from '../domain/channel-config.ts';

const hook = 'https://hooks.example.com/x';
const inside = 'http://inside.example.com:9000/x';
const key = '0123456789abcdef0123456789abcdef';
const twilio = { account_sid: 'AC0123', auth_token: 't', from: '+15551234567', to: '+4915112345678' };
const space = 'https://chat.googleapis.com/v1/spaces/AAAA/messages?key=k&token=t';
const matrix = { homeserver_url: hook, access_token: 't', room_id: '!a:example.com' };
const zulip = { site_url: hook, bot_email: 'bot@example.com', api_key: 'k', stream: 'ops', topic: 'alerts' };
const sns = {
  topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts',
  access_key_id: 'AKIA1',
  secret_access_key: 's1',
};
const url = (field: string, problem: string): FieldErrors => ({ [`config.${field}`]: [problem] });
const required = (...fields: string[]): FieldErrors =>
  Object.fromEntries(fields.map((field) => [`config.${field}`, ['is required']]));
const word = 'must be at most 255 visible ASCII characters without spaces';
const label = 'must be at most 255 characters without line breaks';

test.each<[string, ChannelConfig]>([
  ['discord', { webhook_url: 'https://discord.com/api/webhooks/123/a-B_c' }],
  ['discord', { webhook_url: 'https://discordapp.com/api/webhooks/123/abc?thread_id=7' }],
  ['discord', { webhook_url: 'https://ptb.discord.com/api/webhooks/123/abc' }],
  ['discord', { webhook_url: 'https://canary.discord.com/api/v10/webhooks/123/abc' }],
  ['discord', { webhook_url: 'http://127.0.0.1:9000/api/webhooks/123/abc' }],
  ['pagerduty', { integration_key: key }],
  ['pagerduty', { integration_key: `R${key.slice(1).toUpperCase()}`, region: 'eu' }],
  ['teams', { webhook_url: hook }],
  ['teams', { webhook_url: inside }],
  ['mattermost', { webhook_url: hook }],
  ['mattermost', { webhook_url: inside, channel: 'town-square', username: 'Tocsin 🔔' }],
  ['telegram', { bot_token: '123456:ABC-def_1', chat_id: '-1001234567890' }],
  ['telegram', { bot_token: '1:a', chat_id: '@ops' }],
  ['telegram', { bot_token: '1:a', chat_id: -100123 }],
  ['ntfy', { topic: 'ops' }],
  ['ntfy', { server_url: hook, topic: 'x'.repeat(64), access_token: 'tk_1' }],
  ['ntfy', { server_url: inside, topic: 'Ops_1-a' }],
  ['pushover', { user_key: 'u', api_token: 'a' }],
  ['ilert', { api_key: 'il1api' }],
  ['incident_io', { alert_source_url: 'https://api.incident.io/v2/alert_events/http/01GW', api_token: 't' }],
  ['incident_io', { alert_source_url: 'http://127.0.0.1:9000/v2/alert_events/http/01GW', api_token: 't' }],
  ['grafana_irm', { integration_url: hook }],
  ['grafana_irm', { integration_url: inside }],
  ['sms', twilio],
  ['sms', { ...twilio, from: `MG${key}` }],
  ['sms', { ...twilio, from: 'Tocsin' }],
  ['sms', { ...twilio, from: '12345' }],
  ['google_chat', { webhook_url: space }],
  ['google_chat', { webhook_url: 'http://127.0.0.1:9000/v1/spaces/A_-b/messages?token=t' }],
  ['matrix', { ...matrix, room_id: `!${'x'.repeat(254)}` }],
  ['matrix', { ...matrix, homeserver_url: inside }],
  ['zulip', { ...zulip, stream: 'ö'.repeat(60) }],
  ['zulip', { ...zulip, site_url: inside }],
  ['opsgenie', { api_key: 'k' }],
  ['opsgenie', { api_key: 'k', region: 'us', server_url: inside }],
  ['jira_service_management', { api_key: 'k' }],
  ['sns', sns],
  ['sns', { ...sns, topic_arn: `arn:aws-us-gov:sns:us-gov-west-1:123456789012:${'x'.repeat(256)}` }],
  ['sns', { ...sns, topic_arn: 'arn:aws-cn:sns:cn-north-1:123456789012:a-b_c.fifo' }],
  ['apprise', { server_url: hook, key: 'x'.repeat(128) }],
  ['apprise', { server_url: inside, urls: 'tgram://1:a/2,mailto://x@example.com', tag: 'a,b c' }],
])('a channel of type %s accepts the configuration %j', async (type, config) => {
  expect(await configErrors(type, { ...config, comment: 'a key that nobody knows' })).toEqual({});
});

const discordForm = 'must be https://discord.com/api/webhooks/{id}/{token}';
const https = 'must be an https URL';
const serverAlone = 'must be the address of the server alone; the topic belongs in config.topic';
const sender = 'must be a number such as +15551234567, a short code, a sender name, or the SID of a messaging service';
const phone = 'must be a number in international form such as +15551234567';
const spaceForm = 'must be https://chat.googleapis.com/v1/spaces/{space}/messages?key={key}&token={token}';
const room = 'must be the id of a room such as !abc:example.com, not an alias';
const sixty = 'must be at most 60 characters without line breaks';
const arn = 'must be the ARN of a topic such as arn:aws:sns:eu-central-1:123456789012:alerts';
const oneOfBoth = 'is required, unless urls is given; both exclude each other';
const token = 'must be a token of BotFather such as 123456:ABC-def';
const chat = 'must be a number such as -1001234567890, or @channelname';

test.each<[string, ChannelConfig, FieldErrors]>([
  ['discord', {}, required('webhook_url')],
  [
    'discord',
    { webhook_url: hook },
    url('webhook_url', 'must be on discord.com or discordapp.com or ptb.discord.com or canary.discord.com'),
  ],
  ['discord', { webhook_url: 'http://discord.com/api/webhooks/1/a' }, url('webhook_url', https)],
  ['discord', { webhook_url: 'https://discord.com/api/webhooks/1' }, url('webhook_url', discordForm)],
  ['discord', { webhook_url: 'https://discord.com/api/users/1/a' }, url('webhook_url', discordForm)],
  ['pagerduty', {}, required('integration_key')],
  ['pagerduty', { integration_key: 7 }, url('integration_key', 'must be a string')],
  ['pagerduty', { integration_key: key.slice(1) }, url('integration_key', 'must be 32 letters and digits')],
  ['pagerduty', { integration_key: `${key.slice(1)}-` }, url('integration_key', 'must be 32 letters and digits')],
  ['pagerduty', { integration_key: key, region: 'EU' }, url('region', 'must be "us" or "eu"')],
  ['teams', {}, required('webhook_url')],
  ['teams', { webhook_url: 'http://outside.example.com' }, url('webhook_url', https)],
  ['teams', { webhook_url: 'https://10.0.0.1/' }, url('webhook_url', 'must not be a private address')],
  [
    'mattermost',
    { channel: 'a\nb', username: 7 },
    {
      ...required('webhook_url'),
      'config.channel': [label],
      'config.username': ['must be a string'],
    },
  ],
  ['mattermost', { webhook_url: hook, username: 'x'.repeat(256) }, url('username', label)],
  ['telegram', {}, required('bot_token', 'chat_id')],
  ['telegram', { bot_token: 'abc', chat_id: 'ops' }, { 'config.bot_token': [token], 'config.chat_id': [chat] }],
  ['telegram', { bot_token: '1:a/../b', chat_id: 1.5 }, { 'config.bot_token': [token], 'config.chat_id': [chat] }],
  ['ntfy', {}, required('topic')],
  ['ntfy', { server_url: 'https://ntfy.sh/ops', topic: 'night' }, url('server_url', serverAlone)],
  ['ntfy', { server_url: 'https://ntfy.example.com/ops', topic: 'ops' }, url('server_url', serverAlone)],
  [
    'ntfy',
    { server_url: 'ftp://x', topic: 'a b', access_token: 'a b' },
    {
      'config.server_url': [https],
      'config.topic': ['must be 1 to 64 letters, digits, - or _'],
      'config.access_token': [word],
    },
  ],
  ['ntfy', { topic: 'x'.repeat(65) }, url('topic', 'must be 1 to 64 letters, digits, - or _')],
  ['pushover', {}, required('user_key', 'api_token')],
  [
    'pushover',
    { user_key: 'ü', api_token: [] },
    {
      'config.user_key': [word],
      'config.api_token': ['must be a string'],
    },
  ],
  ['ilert', {}, required('api_key')],
  ['ilert', { api_key: 'x'.repeat(256) }, url('api_key', word)],
  ['incident_io', {}, required('alert_source_url', 'api_token')],
  [
    'incident_io',
    { alert_source_url: 'https://api.incident.io.evil.example/v2', api_token: 't' },
    url('alert_source_url', 'must be on api.incident.io'),
  ],
  ['grafana_irm', {}, required('integration_url')],
  ['grafana_irm', { integration_url: 'nonsense' }, url('integration_url', https)],
  ['sms', {}, required('account_sid', 'auth_token', 'from', 'to')],
  [
    'sms',
    { account_sid: 'AC/..', auth_token: '', from: 'twelve chars', to: '0151 123' },
    {
      ...required('auth_token'),
      'config.account_sid': ['must be an account SID of Twilio, which begins with AC'],
      'config.from': [sender],
      'config.to': [phone],
    },
  ],
  ['sms', { ...twilio, to: '+0151' }, url('to', phone)],
  ['google_chat', {}, required('webhook_url')],
  ['google_chat', { webhook_url: space.split('?')[0] }, url('webhook_url', spaceForm)],
  ['google_chat', { webhook_url: 'https://chat.googleapis.com/v1/spaces?token=t' }, url('webhook_url', spaceForm)],
  ['google_chat', { webhook_url: hook }, url('webhook_url', 'must be on chat.googleapis.com')],
  ['matrix', {}, required('homeserver_url', 'access_token', 'room_id')],
  ['matrix', { ...matrix, room_id: '#ops:example.com' }, url('room_id', room)],
  ['matrix', { ...matrix, room_id: `!${'x'.repeat(255)}` }, url('room_id', room)],
  [
    'matrix',
    { ...matrix, homeserver_url: 'https://10.0.0.1/' },
    url('homeserver_url', 'must not be a private address'),
  ],
  ['zulip', {}, required('site_url', 'bot_email', 'api_key', 'stream', 'topic')],
  ['zulip', { ...zulip, stream: 'x'.repeat(61), topic: 'a\nb' }, { ...url('stream', sixty), ...url('topic', sixty) }],
  ['zulip', { ...zulip, site_url: 'x', bot_email: 'a b' }, { ...url('site_url', https), ...url('bot_email', word) }],
  ['opsgenie', {}, required('api_key')],
  ['opsgenie', { api_key: 'k', region: 'EU' }, url('region', 'must be "us" or "eu"')],
  ['opsgenie', { api_key: 'k', server_url: 'http://outside.example.com' }, url('server_url', https)],
  ['jira_service_management', {}, required('api_key')],
  ['jira_service_management', { api_key: 'a b' }, url('api_key', word)],
  ['sns', {}, required('topic_arn', 'access_key_id', 'secret_access_key')],
  ['sns', { ...sns, topic_arn: `${sns.topic_arn}/x` }, url('topic_arn', arn)],
  ['sns', { ...sns, topic_arn: 'arn:aws:sns:evil.example:123456789012:x' }, url('topic_arn', arn)],
  ['sns', { ...sns, topic_arn: `arn:aws:sns:us-east-1:123456789012:${'x'.repeat(257)}` }, url('topic_arn', arn)],
  ['apprise', {}, { ...required('server_url'), ...url('key', oneOfBoth) }],
  ['apprise', { server_url: hook, key: 'ops', urls: 'json://x' }, url('key', oneOfBoth)],
  ['apprise', { server_url: hook, key: '../x' }, url('key', 'must be 1 to 128 letters, digits, - or _')],
  [
    'apprise',
    { server_url: hook, urls: 'x'.repeat(4097) },
    url('urls', 'must be at most 4096 characters without line breaks'),
  ],
])('a channel of type %s refuses the configuration %j with the errors %j', async (type, config, fields) => {
  expect(await configErrors(type, config)).toEqual(fields);
});
