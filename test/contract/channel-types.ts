import { expect, test } from 'vitest';
import type { Fixture } from './fixture.ts';

interface TypeOfChannel {
  readonly config: Readonly<Record<string, unknown>>;
  /** Fields that are reported as missing for an empty configuration. */
  readonly required: readonly string[];
  /** An invalid value for every field of the configuration. */
  readonly wrong: Readonly<Record<string, unknown>>;
}

const hook = 'https://hooks.example.com/x';
const key = '0123456789abcdef0123456789abcdef';

const types: Record<string, TypeOfChannel> = {
  webhook: {
    config: { url: hook },
    required: ['url'],
    wrong: { url: 'ftp://x', headers: 'x', payload_template: '{', signing_secret: 7 },
  },
  slack: {
    config: { webhook_url: 'https://hooks.slack.com/services/T0/B0/x' },
    required: ['webhook_url'],
    wrong: { bot_token: 'a b', channel_id: 7, channel_name: [] },
  },
  discord: {
    config: { webhook_url: 'https://discord.com/api/webhooks/123/abc' },
    required: ['webhook_url'],
    wrong: { webhook_url: 'https://discord.com/channels/1' },
  },
  email: {
    config: { recipients: ['ops@example.com'] },
    required: ['recipients'],
    wrong: { recipients: 'nobody' },
  },
  pagerduty: {
    config: { integration_key: key, region: 'eu' },
    required: ['integration_key'],
    wrong: { integration_key: `${key}0`, region: 'mars' },
  },
  teams: { config: { webhook_url: hook }, required: ['webhook_url'], wrong: { webhook_url: 'http://10.0.0.1/' } },
  mattermost: {
    config: { webhook_url: hook, channel: 'ops', username: 'Tocsin' },
    required: ['webhook_url'],
    wrong: { webhook_url: 'x', channel: 'a\nb', username: 7 },
  },
  telegram: {
    config: { bot_token: '123:abc', chat_id: '-100123', message_thread_id: '42' },
    required: ['bot_token', 'chat_id'],
    wrong: { bot_token: 'abc', chat_id: 'ops', message_thread_id: 'x' },
  },
  ntfy: {
    config: { server_url: hook, topic: 'ops', access_token: 'tk_1' },
    required: ['topic'],
    wrong: { server_url: 'x', topic: 'a b', access_token: 'a b' },
  },
  pushover: {
    config: { user_key: 'u1', api_token: 'a1' },
    required: ['user_key', 'api_token'],
    wrong: { user_key: 'a b', api_token: 7 },
  },
  ilert: { config: { api_key: 'il1api' }, required: ['api_key'], wrong: { api_key: {} } },
  incident_io: {
    config: { alert_source_url: 'https://api.incident.io/v2/alert_events/http/1', api_token: 't1' },
    required: ['alert_source_url', 'api_token'],
    wrong: { alert_source_url: hook, api_token: 'a b' },
  },
  grafana_irm: {
    config: { integration_url: hook },
    required: ['integration_url'],
    wrong: { integration_url: 'https://169.254.169.254/' },
  },
  sms: {
    config: { account_sid: 'AC1', auth_token: 't1', from: '+15551234567', to: '+4915112345678' },
    required: ['account_sid', 'auth_token', 'from', 'to'],
    wrong: { account_sid: '1', auth_token: 'a b', from: '?', to: '0151' },
  },
  google_chat: {
    config: { webhook_url: 'https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t' },
    required: ['webhook_url'],
    wrong: { webhook_url: 'https://chat.googleapis.com/v1/spaces/A/messages' },
  },
  matrix: {
    config: { homeserver_url: 'https://matrix.example.com', access_token: 't1', room_id: '!abc:example.com' },
    required: ['homeserver_url', 'access_token', 'room_id'],
    wrong: { homeserver_url: 'x', access_token: 'a b', room_id: '#ops:example.com' },
  },
  zulip: {
    config: { site_url: hook, bot_email: 'bot@example.com', api_key: 'k1', stream: 'ops', topic: 'alerts' },
    required: ['site_url', 'bot_email', 'api_key', 'stream', 'topic'],
    wrong: { site_url: 'x', bot_email: 'a b', api_key: 7, stream: 'x'.repeat(61), topic: 'a\nb' },
  },
  opsgenie: {
    config: { api_key: 'k1', region: 'eu', server_url: hook },
    required: ['api_key'],
    wrong: { api_key: 'a b', region: 'mars', server_url: 'x' },
  },
  jira_service_management: { config: { api_key: 'k1' }, required: ['api_key'], wrong: { api_key: 'a b' } },
  sns: {
    config: {
      topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts',
      access_key_id: 'AKIA1',
      secret_access_key: 's1',
    },
    required: ['topic_arn', 'access_key_id', 'secret_access_key'],
    wrong: { topic_arn: 'arn:aws:sqs:eu-central-1:123456789012:x', access_key_id: 'a b', secret_access_key: 7 },
  },
  apprise: {
    config: { server_url: hook, key: 'ops', tag: 'night' },
    required: ['server_url', 'key'],
    wrong: { server_url: 'x', key: 'a b', urls: 'a\nb', tag: '?' },
  },
};

const fieldsOf = (names: readonly string[]) => names.map((name) => `config.${name}`).sort();

/**
 * Tests that a channel of every type in the document can be created, and that every invalid field of its configuration
 * is reported.
 */
export function typesOfChannels(fixture: () => Fixture): void {
  test('the table of channel types has every type in the OpenAPI document', () => {
    const schema = JSON.stringify(fixture().document.content.paths['/api/v1/alert-channels']);
    for (const type of Object.keys(types)) expect(schema).toContain(`"${type}"`);
    const named = Object.keys(fixture().document.configFields('/api/v1/alert-channels', 'type'));
    expect(named.sort()).toEqual(Object.keys(types).sort());
  });

  test('the document describes every field of every config', () => {
    const documented = fixture().document.configFields('/api/v1/alert-channels', 'type');
    for (const [type, { config, wrong }] of Object.entries(types)) {
      const fields = [...new Set([...Object.keys(config), ...Object.keys(wrong)])];
      expect(documented[type]?.toSorted(), type).toEqual(fields.sort());
    }
  });

  test.each(Object.entries(types))(
    'an unknown config key of a channel of type %s is listed as ignored',
    async (type, { config }) => {
      const { mine } = fixture();
      const misspelled = { ...config, chanel: 'x' };
      const created = await mine.call('POST', '/alert-channels', { name: 'Ops', type, config: misspelled });
      expect(created.headers.get('x-tocsin-ignored')).toBe('config.chanel');
      const { id } = (created.body as { data: { id: string } }).data;
      const changed = await mine.call('PATCH', `/alert-channels/${id}`, { config: misspelled });
      expect(changed.headers.get('x-tocsin-ignored')).toBe('config.chanel');
    },
  );

  test('an unknown variable in a payload template is listed once as ignored, and a known variable is not listed', async () => {
    const { mine } = fixture();
    const template = (name: string) => ({
      url: 'https://hooks.example.com/x',
      payload_template: `{"text": "{{monitor_name}} {{ ${name} }} {{${name}}}"}`,
    });
    const body = { name: 'Ops', type: 'webhook', config: template('monitor_nmae') };
    const created = await mine.call('POST', '/alert-channels', body);
    expect([created.status, created.headers.get('x-tocsin-ignored')]).toEqual([
      201,
      'config.payload_template.monitor_nmae',
    ]);
    const { id } = (created.body as { data: { id: string } }).data;
    const changed = await mine.call('PATCH', `/alert-channels/${id}`, { config: template('status') });
    expect(changed.headers.has('x-tocsin-ignored')).toBe(false);
  });

  test.each(Object.entries(types))(
    'a channel of type %s is created, and reports every invalid field of its config',
    async (type, { config, required, wrong }) => {
      const { mine } = fixture();
      const body = { name: 'Ops', type, config };
      const channel = await mine.create('/alert-channels', body);
      expect(channel).toMatchObject({ name: 'Ops', type, enabled: true });
      expect(channel).not.toHaveProperty('config');
      const path = `/alert-channels/${channel.id}`;
      expect(await mine.call('PATCH', path, { config })).toMatchObject({ status: 200 });

      for (const [bad, fields] of [
        [{}, required],
        [wrong, Object.keys(wrong)],
      ] as const) {
        for (const response of [
          await mine.call('POST', '/alert-channels', { ...body, config: bad }),
          await mine.call('PATCH', path, { config: bad }),
        ]) {
          expect(response).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
          expect(Object.keys((response.body as { error: { errors: object } }).error.errors).sort()).toEqual(
            fieldsOf(fields),
          );
        }
      }
      expect(await mine.call('DELETE', path)).toMatchObject({ status: 204 });
    },
  );

  test('a channel of type apprise accepts URLs instead of a stored configuration', async () => {
    const { mine } = fixture();
    const config = { server_url: hook, urls: 'json://example.com' };
    const { id } = await mine.create('/alert-channels', { name: 'Ops', type: 'apprise', config });
    expect(await mine.call('PATCH', `/alert-channels/${id}`, { config })).toMatchObject({ status: 200 });
    expect(await mine.call('DELETE', `/alert-channels/${id}`)).toMatchObject({ status: 204 });
  });
}
