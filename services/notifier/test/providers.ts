import { expect } from 'vitest';
import type { Answer } from './receiver.ts';

/** Expected requests and possible responses of a provider. */
export interface ProviderCase {
  readonly type: string;
  /** Path of the requests. A `*` at the end matches every path with this beginning. */
  readonly path: string;
  /** Path of the request about a recovery, if it differs from `path`. `{monitor}` is replaced by the monitor's id. */
  readonly recoveredPath?: string;
  /** Returns the configuration of a channel whose provider has the address `url`. */
  readonly config: (url: string) => Record<string, unknown>;
  /** Response to an accepted request. */
  readonly yes: Answer;
  /** Expected headers of a request, except the content type. */
  readonly headers?: Record<string, string>;
  /** Fields that the body for an outage must contain. `{monitor}` is replaced by the monitor's id. */
  readonly down: Record<string, unknown>;
  /** Fields that the body for a recovery must contain. */
  readonly recovered: Record<string, unknown>;
  /** Response after which the channel is broken, and the channel's expected `broken_reason`. */
  readonly no: Answer & { readonly reason: string };
  /** Response after which the request is retried. */
  readonly later: Answer;
}

const key = '0123456789abcdef0123456789abcdef';

export const providers: readonly ProviderCase[] = [
  {
    type: 'discord',
    path: '/api/webhooks/123/aBc?wait=true',
    config: () => ({ webhook_url: 'https://discord.com/api/webhooks/123/aBc' }),
    yes: { status: 200, body: '{"id":"1"}' },
    down: { embeds: [{ title: '🔴 Shop is down' }], allowed_mentions: { parse: [] } },
    recovered: { embeds: [{ title: '🟢 Shop is up again' }] },
    no: {
      status: 404,
      body: '{"code":10015}',
      reason: 'Discord returned 404: the webhook was deleted. Create a new one and PATCH config.webhook_url',
    },
    later: { status: 429, headers: { 'retry-after': '0' }, body: '{"retry_after":0.1}' },
  },
  {
    type: 'pagerduty',
    path: '/v2/enqueue',
    config: () => ({ integration_key: key }),
    yes: { status: 202, body: '{"status":"success"}' },
    down: { routing_key: key, event_action: 'trigger', dedup_key: 'tocsin-outage-{monitor}-1767261600' },
    recovered: { routing_key: key, event_action: 'resolve', dedup_key: 'tocsin-outage-{monitor}-1767261600' },
    no: {
      status: 400,
      body: '{"errors":["Invalid routing key"]}',
      reason:
        'PagerDuty returned 400: it does not know the key. Copy it from an Events API v2 integration and PATCH config.integration_key',
    },
    later: { status: 429 },
  },
  {
    type: 'teams',
    path: '/workflows/1/triggers/manual',
    config: (url) => ({ webhook_url: `${url}/workflows/1/triggers/manual` }),
    yes: { status: 202 },
    down: { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive' }] },
    recovered: { attachments: [{ content: { body: [{ text: '🟢 Shop is up again' }, {}, {}] } }] },
    no: {
      status: 404,
      reason:
        'Teams returned 404: the workflow or connector was deleted. Create a new one and PATCH config.webhook_url',
    },
    later: {
      status: 200,
      body: 'Webhook message delivery failed with error: … returned HTTP error 429 with ContextId',
    },
  },
  {
    type: 'mattermost',
    path: '/hooks/1',
    config: (url) => ({ webhook_url: `${url}/hooks/1`, channel: 'ops', username: 'Alerts' }),
    yes: { status: 200, body: 'ok' },
    down: { channel: 'ops', username: 'Alerts', attachments: [{ title: '🔴 Shop is down' }] },
    recovered: { attachments: [{ title: '🟢 Shop is up again' }] },
    no: {
      status: 400,
      body: '{"id":"web.incoming_webhook.invalid.app_error"}',
      reason: 'Mattermost returned 400: the webhook was deleted. Create a new one and PATCH config.webhook_url',
    },
    later: { status: 500 },
  },
  {
    type: 'telegram',
    path: '/bot123:abc/sendMessage',
    config: () => ({ bot_token: '123:abc', chat_id: '-100123' }),
    yes: { status: 200, body: '{"ok":true}' },
    down: { chat_id: '-100123', text: expect.stringContaining('🔴 Shop is down') },
    recovered: { chat_id: '-100123', text: expect.stringContaining('🟢 Shop is up again') },
    no: {
      status: 403,
      body: '{"ok":false,"description":"Forbidden: bot was blocked by the user"}',
      reason: 'Telegram returned 403: the bot was blocked or removed from the chat. Add it again, and test the channel',
    },
    later: { status: 429, body: '{"ok":false,"parameters":{"retry_after":0.01}}' },
  },
  {
    type: 'ntfy',
    path: '/',
    config: (url) => ({ server_url: url, topic: 'ops', access_token: 'tk_1' }),
    yes: { status: 200, body: '{"id":"1"}' },
    headers: { authorization: 'Bearer tk_1' },
    down: { topic: 'ops', title: 'Shop is down', priority: 4 },
    recovered: { topic: 'ops', title: 'Shop is up again', priority: 3 },
    no: {
      status: 403,
      reason: 'ntfy returned 403: the topic is protected. PATCH config.access_token with one that may write to it',
    },
    later: { status: 507 },
  },
  {
    type: 'pushover',
    path: '/1/messages.json',
    config: () => ({ user_key: 'user1', api_token: 'app1' }),
    yes: { status: 200, body: '{"status":1}' },
    down: { token: 'app1', user: 'user1', title: '🔴 Shop is down', priority: 1 },
    recovered: { token: 'app1', user: 'user1', title: '🟢 Shop is up again', priority: 0 },
    no: {
      status: 400,
      body: '{"user":"invalid","status":0}',
      reason: 'Pushover returned 400: it does not know user_key. Copy it again and PATCH config.user_key',
    },
    later: { status: 429, body: '{"token":"invalid","status":0}' },
  },
  {
    type: 'ilert',
    path: '/api/events',
    config: () => ({ api_key: 'il1api' }),
    yes: { status: 202 },
    down: { integrationKey: 'il1api', eventType: 'ALERT', alertKey: 'tocsin-outage-{monitor}-1767261600' },
    recovered: { integrationKey: 'il1api', eventType: 'RESOLVE', alertKey: 'tocsin-outage-{monitor}-1767261600' },
    no: {
      status: 403,
      reason:
        'ilert returned 403: it does not know the key. Copy the one of an alert source of type API and PATCH config.api_key',
    },
    later: { status: 503 },
  },
  {
    type: 'incident_io',
    path: '/v2/alert_events/http/01GW',
    config: () => ({ alert_source_url: 'https://api.incident.io/v2/alert_events/http/01GW', api_token: 't1' }),
    yes: { status: 202, body: '{"status":"success"}' },
    headers: { authorization: 'Bearer t1' },
    down: { status: 'firing', deduplication_key: 'tocsin-outage-{monitor}-1767261600', title: 'Shop is down' },
    recovered: {
      status: 'resolved',
      deduplication_key: 'tocsin-outage-{monitor}-1767261600',
      title: 'Shop is up again',
    },
    no: {
      status: 401,
      reason:
        'incident.io returned 401: the token is wrong. Copy the one of the alert source and PATCH config.api_token',
    },
    later: { status: 502 },
  },
  {
    type: 'grafana_irm',
    path: '/integrations/v1/formatted_webhook/1/',
    config: (url) => ({ integration_url: `${url}/integrations/v1/formatted_webhook/1/` }),
    yes: { status: 200, body: 'Ok.' },
    down: { alert_uid: 'tocsin-outage-{monitor}-1767261600', state: 'alerting', title: 'Shop is down' },
    recovered: { alert_uid: 'tocsin-outage-{monitor}-1767261600', state: 'ok', title: 'Shop is up again' },
    no: {
      status: 404,
      reason:
        'Grafana IRM returned 404: the integration was deleted. Create a new one and PATCH config.integration_url',
    },
    later: { status: 429 },
  },
  {
    type: 'sms',
    path: '/2010-04-01/Accounts/AC0123/Messages.json',
    config: () => ({ account_sid: 'AC0123', auth_token: 't1', from: '+15551234567', to: '+4915112345678' }),
    yes: { status: 201, body: '{"sid":"SM1","status":"queued"}' },
    headers: { authorization: `Basic ${btoa('AC0123:t1')}`, 'content-type': 'application/x-www-form-urlencoded' },
    down: { From: '+15551234567', To: '+4915112345678', Body: expect.stringContaining('Shop is down: status 502') },
    recovered: { Body: expect.stringContaining('Shop is up again after 2 min 5 s') },
    no: {
      status: 400,
      body: '{"code":21608,"status":400}',
      reason:
        'Twilio returned 21608: a trial account sends to verified numbers only. Verify the number, or PATCH config.to',
    },
    later: { status: 429, body: '{"code":20429}' },
  },
  {
    type: 'google_chat',
    path: '/v1/spaces/A/messages?key=k&token=t',
    config: () => ({ webhook_url: 'https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t' }),
    yes: { status: 200, body: '{"name":"spaces/A/messages/B"}' },
    down: { cardsV2: [{ card: { header: { title: '🔴 Shop is down' } } }] },
    recovered: { cardsV2: [{ card: { header: { title: '🟢 Shop is up again' } } }] },
    no: {
      status: 404,
      reason:
        'Google Chat returned 404: the space or its webhook was deleted. Create a new one and PATCH config.webhook_url',
    },
    later: { status: 429, headers: { 'retry-after': '0' }, body: '{"error":{"status":"RESOURCE_EXHAUSTED"}}' },
  },
  {
    type: 'matrix',
    path: '/_matrix/client/v3/rooms/!abc%3Aexample.com/send/m.room.message/*',
    config: (url) => ({ homeserver_url: `${url}/`, access_token: 't1', room_id: '!abc:example.com' }),
    yes: { status: 200, body: '{"event_id":"$1"}' },
    headers: { authorization: 'Bearer t1' },
    down: { msgtype: 'm.text', body: expect.stringContaining('🔴 Shop is down'), 'm.mentions': {} },
    recovered: { body: expect.stringContaining('🟢 Shop is up again') },
    no: {
      status: 403,
      body: '{"errcode":"M_FORBIDDEN"}',
      reason:
        'the Matrix server returned 403: the user may not write to the room. Invite it and let it join, or PATCH config.room_id',
    },
    later: { status: 429, body: '{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":10}' },
  },
  {
    type: 'zulip',
    path: '/api/v1/messages',
    config: (url) => ({ site_url: url, bot_email: 'bot@x.org', api_key: 'k1', stream: 'ops', topic: 'alerts' }),
    yes: { status: 200, body: '{"result":"success","id":1}' },
    headers: { authorization: `Basic ${btoa('bot@x.org:k1')}`, 'content-type': 'application/x-www-form-urlencoded' },
    down: { type: 'stream', to: 'ops', topic: 'alerts', content: expect.stringContaining('Shop is down') },
    recovered: { content: expect.stringContaining('Shop is up again') },
    no: {
      status: 400,
      body: '{"result":"error","code":"STREAM_DOES_NOT_EXIST"}',
      reason:
        'Zulip returned STREAM_DOES_NOT_EXIST: there is no such channel, or the bot is not subscribed to it. Subscribe it, or PATCH config.stream',
    },
    later: { status: 429, headers: { 'retry-after': '0' }, body: '{"result":"error","code":"RATE_LIMIT_HIT"}' },
  },
  {
    type: 'opsgenie',
    path: '/v2/alerts*',
    recoveredPath: '/v2/alerts/tocsin-outage-{monitor}-1767261600/close?identifierType=alias',
    config: () => ({ api_key: 'k1' }),
    yes: { status: 202, body: '{"result":"Request will be processed"}' },
    headers: { authorization: 'GenieKey k1' },
    down: { alias: 'tocsin-outage-{monitor}-1767261600', message: 'Shop is down', priority: 'P1' },
    recovered: { source: 'Tocsin' },
    no: {
      status: 403,
      reason:
        'Opsgenie returned 403: it accepts no alert with this key. Copy the key of an API integration that may create alerts, and PATCH config.api_key',
    },
    later: { status: 429, headers: { 'retry-after': '0' } },
  },
  {
    type: 'jira_service_management',
    path: '/jsm/ops/integration/v2/alerts*',
    recoveredPath: '/jsm/ops/integration/v2/alerts/tocsin-outage-{monitor}-1767261600/close?identifierType=alias',
    config: () => ({ api_key: 'k1' }),
    yes: { status: 202 },
    headers: { authorization: 'GenieKey k1' },
    down: { alias: 'tocsin-outage-{monitor}-1767261600', message: 'Shop is down', priority: 'P1' },
    recovered: { source: 'Tocsin' },
    no: {
      status: 401,
      reason:
        'Jira Service Management returned 401: it accepts no alert with this key. Copy the key of an API integration that may create alerts, and PATCH config.api_key',
    },
    later: { status: 503 },
  },
  {
    type: 'sns',
    path: '/sns/',
    config: () => ({
      topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts',
      access_key_id: 'AKIA1',
      secret_access_key: 's1',
    }),
    yes: { status: 200, body: '<PublishResponse><MessageId>94f20ce6</MessageId></PublishResponse>' },
    headers: {
      authorization: expect.stringContaining('AWS4-HMAC-SHA256 Credential=AKIA1/'),
      'content-type': 'application/x-www-form-urlencoded',
    },
    down: { Action: 'Publish', Subject: 'Tocsin: Shop is down', Message: expect.stringContaining('🔴 Shop is down') },
    recovered: { Subject: 'Tocsin: Shop is up again' },
    no: {
      status: 403,
      body: '<Error><Code>AuthorizationError</Code></Error>',
      reason:
        'Amazon SNS returned AuthorizationError: the key may not publish. Allow sns:Publish on the topic, and test the channel',
    },
    later: { status: 500, body: '<Error><Code>InternalError</Code></Error>' },
  },
  {
    type: 'apprise',
    path: '/notify/ops',
    config: (url) => ({ server_url: url, key: 'ops', tag: 'night' }),
    yes: { status: 200 },
    down: { title: 'Shop is down', type: 'failure', format: 'text', tag: 'night' },
    recovered: { title: 'Shop is up again', type: 'success' },
    no: {
      status: 204,
      reason:
        'the Apprise server returned 204: it has no services for that. PATCH config.key, config.tag or config.urls',
    },
    later: { status: 424 },
  },
];
