import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Fixture, webhookChannel } from './fixture.ts';

interface Channel {
  readonly id: string;
  readonly name: string;
}

const config = (changes: object) => ({ config: { url: 'https://hooks.example.com/', ...changes } });
const slack = (changes: object) => ({ type: 'slack', config: changes });

const night = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' };
/** Returns a signing secret with this number of bytes. */
const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'x').toString('base64')}`;

const accepted: [string, object][] = [
  ['a name of one character', { name: 'x' }],
  ['a name of 255 characters of four bytes', { name: '😀'.repeat(255) }],
  ['enabled set to false', { enabled: false }],
  ['headers and a signing secret of a webhook', config({ headers: { 'x-team': 'ops' }, signing_secret: secretOf(24) })],
  ['reminders every five minutes', { reminder_minutes: 5 }],
  ['reminders once a day', { reminder_minutes: 1_440 }],
  ['quiet hours', { quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' } }],
  ['a maximum of one message an hour', { max_messages_per_hour: 1 }],
  ['a maximum of a thousand messages an hour', { max_messages_per_hour: 1_000 }],
  ['a payload template', config({ payload_template: '{"text": "{{monitor_name}} is {{status}}"}' })],
  ['plain http to an allowed address', config({ url: 'http://127.0.0.1:9/hook' })],
  ['an unknown field', config({ comment: { any: 'thing' } })],
  [
    'an incoming webhook of Slack',
    slack({ webhook_url: 'https://hooks.slack.com/services/T0/B0/x', channel_name: '#ops' }),
  ],
  ['a bot of Slack', slack({ bot_token: 'xoxb-1', channel_id: 'C0123' })],
];

const refused: [object, string][] = [
  [{ name: '' }, 'name'],
  [{ name: '😀'.repeat(256) }, 'name'],
  [{ name: 5 }, 'name'],
  [{ type: 'pigeon' }, 'type'],
  [{ config: [] }, 'config'],
  [{ enabled: 'yes' }, 'enabled'],
  [{ default_for_new_monitors: 1 }, 'default_for_new_monitors'],
  [config({ url: undefined }), 'config.url'],
  [config({ url: 'http://hooks.example.com/' }), 'config.url'],
  [config({ url: 'http://10.0.0.1/' }), 'config.url'],
  [config({ url: 'https://169.254.169.254/latest/meta-data' }), 'config.url'],
  [config({ headers: 'x' }), 'config.headers'],
  [config({ headers: { 'x y': 'z' } }), 'config.headers.x y'],
  [config({ headers: { 'x-evil': 'a\r\nhost: b' } }), 'config.headers.x-evil'],
  [config({ payload_template: '{"n": {{days_remaining}}}' }), 'config.payload_template'],
  [config({ signing_secret: 5 }), 'config.signing_secret'],
  [config({ signing_secret: secretOf(23) }), 'config.signing_secret'],
  [config({ signing_secret: 'a shared secret of more than 24 bytes' }), 'config.signing_secret'],
  [{ fallback_channel_id: 5 }, 'fallback_channel_id'],
  [{ reminder_minutes: 4 }, 'reminder_minutes'],
  [{ reminder_minutes: 1_441 }, 'reminder_minutes'],
  [{ max_messages_per_hour: 0 }, 'max_messages_per_hour'],
  [{ max_messages_per_hour: 1_001 }, 'max_messages_per_hour'],
  [{ quiet_hours: 'at night' }, 'quiet_hours'],
  [{ quiet_hours: { ...night, from: '24:00' } }, 'quiet_hours.from'],
  [{ quiet_hours: { ...night, to: '22:00' } }, 'quiet_hours.to'],
  [{ quiet_hours: { ...night, time_zone: 'Europe/Atlantis' } }, 'quiet_hours.time_zone'],
];

const notNullable = ['name', 'type', 'config', 'enabled', 'default_for_new_monitors'];

export function fieldsOfChannels(fixture: () => Fixture): void {
  test.each(accepted)('a channel with %s is accepted', async (_, changes) => {
    const { mine } = fixture();
    const channel = await mine.create<Channel>('/alert-channels', webhookChannel(changes));
    const { config: _config, ...shown } = { ...(changes as { config?: object }) };
    expect(channel).toEqual({
      id: expect.any(String),
      name: 'Hook',
      type: 'webhook',
      enabled: true,
      default_for_new_monitors: false,
      broken_at: null,
      broken_reason: null,
      fallback_channel_id: null,
      reminder_minutes: null,
      quiet_hours: null,
      max_messages_per_hour: null,
      recipients: [],
      inserted_at: expect.any(String),
      updated_at: expect.any(String),
      ...shown,
    });
    expect((await mine.call('GET', `/alert-channels/${channel.id}`)).body).toEqual({ data: channel });
    expect(await mine.call('PATCH', `/alert-channels/${channel.id}`, changes)).toMatchObject({ status: 200 });
  });

  test('recipients of a mail channel are listed with shortened addresses, and have to confirm', async () => {
    const { mine } = fixture();
    const config = { recipients: ['jane.doe@example.com'] };
    const { id } = await mine.create<Channel>('/alert-channels', { name: 'Mail', type: 'email', config });
    expect((await mine.call('GET', `/alert-channels/${id}`)).body).toMatchObject({
      data: { recipients: [{ address: 'j***@example.com', status: 'pending', error: null }] },
    });
  });

  test.each(['name', 'type', 'config'])('a new channel without %s is refused', async (field) => {
    const response = await fixture().mine.call('POST', '/alert-channels', webhookChannel({ [field]: undefined }));
    expect(response).toMatchObject({ status: 422 });
    expect(response.body).toHaveProperty('error.errors', { [field]: ['is required'] });
  });

  test.each(refused)('a channel with %j is refused with an error for %s', async (changes, field) => {
    const { mine } = fixture();
    const before = await mine.create<Channel>('/alert-channels', webhookChannel());
    for (const response of [
      await mine.call('POST', '/alert-channels', webhookChannel(changes)),
      await mine.call('PATCH', `/alert-channels/${before.id}`, changes),
    ]) {
      expect(response).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
      expect(Object.keys((response.body as { error: { errors: object } }).error.errors)).toEqual([field]);
    }
    expect((await mine.call('GET', `/alert-channels/${before.id}`)).body).toEqual({ data: before });
  });

  test('null is refused for every field that is not nullable', async () => {
    const { mine } = fixture();
    const { id } = await mine.create('/alert-channels', webhookChannel());
    const response = await mine.call(
      'PATCH',
      `/alert-channels/${id}`,
      Object.fromEntries(notNullable.map((field) => [field, null])),
    );
    expect(response.body).toHaveProperty(
      'error.errors',
      Object.fromEntries(notNullable.map((field) => [field, ['must not be null']])),
    );
  });

  test("null resets a channel's reminders, quiet hours and message limit", async () => {
    const { mine } = fixture();
    const policy = { reminder_minutes: 10, quiet_hours: night, max_messages_per_hour: 5 };
    const { id } = await mine.create<Channel>('/alert-channels', webhookChannel(policy));
    const none = { reminder_minutes: null, quiet_hours: null, max_messages_per_hour: null };
    const response = await mine.call('PATCH', `/alert-channels/${id}`, none);
    expect(response).toMatchObject({ status: 200, body: { data: none } });
    const created = await mine.create<Channel>('/alert-channels', webhookChannel(none));
    expect(created).toMatchObject(none);
  });

  test('quiet hours and message limits are refused for a PagerDuty channel', async () => {
    const { mine } = fixture();
    const pager = { name: 'On call', type: 'pagerduty', config: { integration_key: '0'.repeat(32) } };
    const policy = { quiet_hours: night, max_messages_per_hour: 5 };
    const { id } = await mine.create<Channel>('/alert-channels', { ...pager, reminder_minutes: 30 });
    for (const response of [
      await mine.call('POST', '/alert-channels', { ...pager, ...policy }),
      await mine.call('PATCH', `/alert-channels/${id}`, policy),
    ]) {
      expect(response).toMatchObject({ status: 422 });
      const { errors } = (response.body as { error: { errors: object } }).error;
      expect(Object.keys(errors).sort()).toEqual(['max_messages_per_hour', 'quiet_hours']);
    }
    expect(await mine.call('DELETE', `/alert-channels/${id}`)).toMatchObject({ status: 204 });
  });

  test('a PATCH changes only the fields in its body', async () => {
    const { mine } = fixture();
    const before = await mine.create<Channel>('/alert-channels', webhookChannel());
    const path = `/alert-channels/${before.id}`;
    const changed = { ...before, enabled: false, updated_at: expect.any(String) };
    expect((await mine.call('PATCH', path, { enabled: false })).body).toEqual({ data: changed });
    expect((await mine.call('PATCH', path, {})).body).toEqual({ data: changed });
    expect((await mine.call('GET', path)).body).toEqual({ data: changed });
  });

  test('a PATCH may repeat the type of a channel but not change it', async () => {
    const { mine } = fixture();
    const { id } = await mine.create('/alert-channels', webhookChannel());
    expect(await mine.call('PATCH', `/alert-channels/${id}`, { type: 'webhook' })).toMatchObject({ status: 200 });
    const response = await mine.call('PATCH', `/alert-channels/${id}`, { type: 'slack' });
    expect(response).toMatchObject({ status: 422, body: { error: { errors: { type: expect.any(Array) } } } });
  });

  test('a fallback must be another channel of the organization, and null removes it', async () => {
    const { mine } = fixture();
    const [{ id }, other] = [
      await mine.create('/alert-channels', webhookChannel()),
      await mine.create('/alert-channels', webhookChannel()),
    ];
    const path = `/alert-channels/${id}`;
    const set = (fallback: unknown) => mine.call('PATCH', path, { fallback_channel_id: fallback });
    expect(await set(other.id)).toMatchObject({ status: 200, body: { data: { fallback_channel_id: other.id } } });
    for (const wrong of [id, randomUUID(), 'none', 5]) {
      expect(await set(wrong)).toMatchObject({
        status: 422,
        body: { error: { errors: { fallback_channel_id: [expect.any(String)] } } },
      });
    }
    expect(await set(null)).toMatchObject({ status: 200, body: { data: { fallback_channel_id: null } } });
    const unknown = webhookChannel({ fallback_channel_id: randomUUID() });
    expect(await mine.call('POST', '/alert-channels', unknown)).toMatchObject({
      status: 422,
      body: { error: { errors: { fallback_channel_id: [expect.any(String)] } } },
    });
    const created = await mine.create('/alert-channels', webhookChannel({ fallback_channel_id: other.id }));
    expect(created).toMatchObject({ fallback_channel_id: other.id });
    expect(await mine.call('DELETE', `/alert-channels/${other.id}`)).toMatchObject({ status: 204 });
    const { body } = await mine.call('GET', `/alert-channels/${created.id}`);
    expect(body).toMatchObject({ data: { fallback_channel_id: null } });
  });

  test('a replay is accepted only for the last 30 days and for an enabled channel', async () => {
    const { mine } = fixture();
    const { id } = await mine.create('/alert-channels', webhookChannel());
    const replay = (since: unknown) => mine.call('POST', `/alert-channels/${id}/replay`, { since });
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    expect(await replay(daysAgo(29.9))).toMatchObject({ status: 200, body: { data: { replayed: 0 } } });
    for (const wrong of [daysAgo(30.1), daysAgo(-1), 'yesterday', undefined, '2026-02-30T00:00:00Z']) {
      expect(await replay(wrong)).toMatchObject({
        status: 422,
        body: { error: { errors: { since: [expect.any(String)] } } },
      });
    }
    await mine.call('PATCH', `/alert-channels/${id}`, { enabled: false });
    expect(await replay(daysAgo(1))).toMatchObject({ status: 409, body: { error: { type: 'conflict' } } });
  });

  test('a deleted channel is not found', async () => {
    const { mine } = fixture();
    const { id } = await mine.create('/alert-channels', webhookChannel());
    expect(await mine.call('DELETE', `/alert-channels/${id}`)).toMatchObject({ status: 204 });
    for (const method of ['GET', 'DELETE'])
      expect(await mine.call(method, `/alert-channels/${id}`)).toMatchObject({ status: 404 });
    expect(JSON.stringify((await mine.call('GET', '/alert-channels')).body)).not.toContain(id);
  });

  test('a list of channels can be filtered and paged', async () => {
    const { mine } = fixture();
    const slackConfig = { webhook_url: 'https://hooks.slack.com/services/T0/B0/x' };
    const one = await mine.create<Channel>('/alert-channels', webhookChannel({ enabled: false }));
    const other = await mine.create<Channel>('/alert-channels', webhookChannel({ type: 'slack', config: slackConfig }));
    const ids = async (query: string) => {
      const { body } = await mine.call('GET', `/alert-channels?${query}`);
      return (body as { data: Channel[] }).data.map(({ id }) => id);
    };
    expect(await ids('type=slack')).toContain(other.id);
    expect(await ids('type=slack')).not.toContain(one.id);
    expect(await ids('enabled=false')).toContain(one.id);
    expect(await ids('enabled=false')).not.toContain(other.id);
    expect(await ids('type=slack&enabled=false')).toEqual([]);
    const all = await ids('');
    const first = await mine.call('GET', '/alert-channels?limit=2');
    const next = /^<\/api\/v1\/alert-channels\?(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect([...(first.body as { data: Channel[] }).data.map(({ id }) => id), ...(await ids(next))]).toEqual(
      all.slice(0, 4),
    );
    for (const query of ['type=pigeon', 'enabled=perhaps', 'limit=0', 'limit=1001', 'cursor=x']) {
      expect(await mine.call('GET', `/alert-channels?${query}`), query).toMatchObject({ status: 422 });
    }
  });

  test('a test alert returns its outcome and is listed among the deliveries', async () => {
    const { mine, receiver } = fixture();
    const path = `/test/${randomUUID()}`;
    const { id } = await mine.create('/alert-channels', webhookChannel({ config: { url: `${receiver.url}${path}` } }));
    const tested = await mine.call('POST', `/alert-channels/${id}/test`);
    expect(tested).toMatchObject({
      status: 200,
      body: { data: { event: 'test', resource_id: id, status: 'sent', error: null, attempts: [{ status_code: 200 }] } },
    });
    expect(receiver.requests(path)).toMatchObject([{ body: { event: 'test', status: 'test', error: null } }]);
    const { data } = tested.body as { data: object };
    expect((await mine.call('GET', `/alert-channels/${id}/deliveries`)).body).toEqual({ data: [data] });
    const list = async (status: string) => mine.call('GET', `/alert-channels/${id}/deliveries?status=${status}`);
    expect((await list('sent')).body).toEqual({ data: [data] });
    expect((await list('held')).body).toEqual({ data: [] });
    expect(await list('lost')).toMatchObject({ status: 422 });
    expect(await mine.call('GET', `/alert-channels/${id}/deliveries?limit=0`)).toMatchObject({ status: 422 });
    expect(await mine.call('GET', `/alert-channels/${id}/deliveries?limit=1000`)).toMatchObject({ status: 200 });
    expect(await mine.call('GET', `/alert-channels/${id}/deliveries?limit=1001`)).toMatchObject({ status: 422 });
    const unreachable = await mine.create(
      '/alert-channels',
      webhookChannel({ config: { url: 'http://127.0.0.1:1/' } }),
    );
    expect(await mine.call('POST', `/alert-channels/${unreachable.id}/test`)).toMatchObject({
      status: 200,
      body: { data: { status: 'failed', attempts: [{ status_code: null }] } },
    });
  });
}
