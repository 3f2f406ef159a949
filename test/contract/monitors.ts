import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { type Fixture, idleMonitor, webhookChannel } from './fixture.ts';
import { inBatch } from './monitor-batches.ts';

interface Monitor {
  readonly id: string;
  readonly config: unknown;
  readonly alert_channel_ids: readonly string[];
  readonly updated_at: string;
}

const config = (changes: object) => ({ config: { url: 'https://shop.example.com/', ...changes } });
const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'y']));

const link = (settings: object) => ({ channel_id: '5e0b0000-0000-7000-8000-000000000000', ...settings });

const accepted: [string, object][] = [
  ['a name of one character', { name: 'x' }],
  ['a name of 255 characters of four bytes', { name: '𝄞'.repeat(255) }],
  ['the shortest interval', { interval_seconds: 30 }],
  ['the longest interval', { interval_seconds: 86_400 }],
  ['the shortest timeout', { timeout_ms: 1_000 }],
  ['the longest timeout', { timeout_ms: 60_000 }],
  ['no confirmation', { confirm_down_minutes: 0, confirm_up_minutes: 0 }],
  ['the longest confirmation', { confirm_down_minutes: 30, confirm_up_minutes: 30 }],
  ['the method OPTIONS', config({ method: 'OPTIONS' })],
  ['the lowest and the highest status', config({ expected_status_codes: [100, 599] })],
  ['an empty list of status codes', config({ expected_status_codes: [] })],
  ['20 headers', config({ headers: headers(20) })],
  ['a header of 8192 bytes', config({ headers: { 'x-long': 'y'.repeat(8_192) } })],
  ['a body of 65536 bytes', config({ body: 'é'.repeat(32_768) })],
  ['a keyword of 1000 bytes', config({ expected_keyword: 'é'.repeat(500), unexpected_keyword: 'x'.repeat(1_000) })],
];

const seconds = ['must be between 30 and 86400'];
const milliseconds = ['must be between 1000 and 60000'];
const minutes = ['must be between 0 and 30'];
const rounds = ['must be between 1 and 10'];
const codes = ['must be an array of integers between 100 and 599'];
const scheme = [
  'must be an http or https URL such as https://example.com/health: it must begin with http:// or https://',
];
const noUser = [
  'must not contain a user name or password, because the URL is shown: use the header Authorization with a secret',
];

const refused: [object, Record<string, string[]>][] = [
  [{ name: '' }, { name: ['is required'] }],
  [{ name: '𝄞'.repeat(256) }, { name: ['must be at most 255 characters'] }],
  [{ name: 'a\u0000b' }, { name: ['must not contain control characters'] }],
  [{ config: [] }, { config: ['must be an object'] }],
  [{ check_type: 'HTTP' }, { check_type: ['must be one of http, tcp, dns, heartbeat, synthetic'] }],
  [{ interval_seconds: 29 }, { interval_seconds: seconds }],
  [{ interval_seconds: 86_401 }, { interval_seconds: seconds }],
  [{ interval_seconds: 30.5 }, { interval_seconds: ['must be an integer'] }],
  [{ timeout_ms: 999 }, { timeout_ms: milliseconds }],
  [{ timeout_ms: 60_001 }, { timeout_ms: milliseconds }],
  [{ confirm_down_minutes: -1 }, { confirm_down_minutes: minutes }],
  [{ confirm_down_minutes: 31 }, { confirm_down_minutes: minutes }],
  [{ confirm_up_minutes: 31 }, { confirm_up_minutes: minutes }],
  [{ confirm_down_after: 0 }, { confirm_down_after: rounds }],
  [{ confirm_up_after: 11 }, { confirm_up_after: rounds }],
  [
    { confirm_up_after: 2 },
    { confirm_up_after: ['does not apply to http monitors: use confirm_down_minutes and confirm_up_minutes'] },
  ],
  [{ enabled: 0 }, { enabled: ['must be true or false'] }],
  [{ alert_channel_ids: {} }, { alert_channel_ids: ['must be an array'] }],
  [{ alert_channel_ids: [{}] }, { 'alert_channel_ids.0.channel_id': ['is required'] }],
  [
    { alert_channel_ids: [link({ after_minutes: 1_441 }), link({ after_minutes: -1 })] },
    {
      'alert_channel_ids.0': ['is not an alert channel of this organization'],
      'alert_channel_ids.1': ['is not an alert channel of this organization'],
      'alert_channel_ids.0.after_minutes': ['must be between 0 and 1440'],
      'alert_channel_ids.1.after_minutes': ['must be between 0 and 1440'],
    },
  ],
  [
    { alert_channel_ids: [link({ events: ['test'] })] },
    {
      'alert_channel_ids.0.events.0': ['must be one of monitor_down, monitor_recovered, monitor_stale, cert_expiring'],
    },
  ],
  [
    { alert_channel_ids: [link({ events: [] })] },
    {
      'alert_channel_ids.0': ['is not an alert channel of this organization'],
      'alert_channel_ids.0.events': ['must have between 1 and 4 items'],
    },
  ],
  [config({ url: undefined }), { 'config.url': ['is required'] }],
  [config({ url: 'ftp://shop.example.com' }), { 'config.url': scheme }],
  [config({ url: 'shop.example.com' }), { 'config.url': scheme }],
  [config({ url: 'https://me:secret@shop.example.com' }), { 'config.url': noUser }],
  [config({ body: '{{KEY}}' }), { 'config.body': ['refers to the secret KEY, which this monitor does not have'] }],
  [{ secrets: [] }, { secrets: ['must be an object'] }],
  [{ secrets: { KEY: 1 } }, { 'secrets.KEY': ['must be a string or null'] }],
  [{ secrets: { KEY: '' } }, { 'secrets.KEY': ['must be a string of 1 to 8192 bytes'] }],
  [config({ method: 'get' }), { 'config.method': ['must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS'] }],
  [config({ expected_status_codes: [99] }), { 'config.expected_status_codes': codes }],
  [config({ expected_status_codes: [600] }), { 'config.expected_status_codes': codes }],
  [config({ expected_status_codes: 200 }), { 'config.expected_status_codes': codes }],
  [config({ follow_redirects: 'no' }), { 'config.follow_redirects': ['must be true or false'] }],
  [config({ verify_tls: 1 }), { 'config.verify_tls': ['must be true or false'] }],
  [config({ headers: headers(21) }), { 'config.headers': ['must have at most 20 entries'] }],
  [
    config({ headers: { 'x-long': 'y'.repeat(8_193) } }),
    { 'config.headers.x-long': ['must be a string of at most 8192 bytes'] },
  ],
  [config({ body: `${'é'.repeat(32_768)}x` }), { 'config.body': ['must be a string of at most 65536 bytes'] }],
  [
    config({ expected_keyword: 'x'.repeat(1_001) }),
    { 'config.expected_keyword': ['must be a string of at most 1000 bytes'] },
  ],
  [
    config({ max_response_time_ms: 0 }),
    { 'config.max_response_time_ms': ['must be a positive integer (milliseconds)'] },
  ],
];

const notNullable = [
  ...['name', 'check_type', 'config', 'interval_seconds', 'timeout_ms', 'confirm_down_minutes', 'confirm_up_minutes'],
  ...['confirm_down_after', 'confirm_up_after', 'enabled', 'alert_channel_ids', 'secrets'],
];

export function fieldsOfMonitors(fixture: () => Fixture): void {
  test('absent fields of a new monitor have their defaults', async () => {
    const { call } = fixture().theirs;
    const body = { name: 'Shop', check_type: 'http', config: { url: fixture().target.url } };
    const response = await call('POST', '/monitors', body);
    expect(response).toMatchObject({ status: 201 });
    expect(response.body).toEqual({
      data: {
        ...body,
        id: expect.any(String),
        enabled: true,
        interval_seconds: 180,
        timeout_ms: 10_000,
        confirm_down_minutes: 1,
        confirm_up_minutes: 3,
        secret_names: [],
        current_state: 'pending',
        alert_channel_ids: [],
        inserted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
    });
  });

  test.each(accepted)('a monitor with %s is accepted', async (_, changes) => {
    const { mine } = fixture();
    const monitor = await mine.create<Monitor>('/monitors', idleMonitor(changes));
    expect(monitor).toMatchObject(changes);
    expect(await mine.call('GET', `/monitors/${monitor.id}`)).toMatchObject({ body: { data: monitor } });
    expect(await mine.call('PATCH', `/monitors/${monitor.id}`, changes)).toMatchObject({ status: 200 });
    const batch = { monitors: [idleMonitor(changes)] };
    expect(await mine.call('POST', '/monitors/batch', batch)).toMatchObject({ status: 201, body: { data: [changes] } });
  });

  test.each(refused)('a new monitor with %j is refused with the errors %j', async (changes, errors) => {
    const { call } = fixture().mine;
    const response = await call('POST', '/monitors', idleMonitor(changes));
    expect(response).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
    expect(response.body).toHaveProperty('error.errors', errors);
    const batch = await call('POST', '/monitors/batch', { monitors: [idleMonitor(changes)] });
    expect(batch).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
    expect(batch.body).toHaveProperty('error.errors', inBatch(errors));
  });

  test.each([
    ['name', 'name'],
    ['check_type', 'check_type'],
    ['config', 'config.url'],
  ])('a new monitor without %s is refused', async (field, named) => {
    const response = await fixture().mine.call('POST', '/monitors', idleMonitor({ [field]: undefined }));
    expect(response).toMatchObject({ status: 422 });
    expect(response.body).toHaveProperty('error.errors', { [named]: ['is required'] });
  });

  test('a PATCH with an invalid field is refused and changes nothing', async () => {
    const { mine } = fixture();
    const before = await mine.create<Monitor>('/monitors', idleMonitor());
    const nulls: typeof refused = notNullable.map((field) => [{ [field]: null }, { [field]: ['must not be null'] }]);
    for (const [changes, errors] of [...refused, ...nulls]) {
      const response = await mine.call('PATCH', `/monitors/${before.id}`, changes);
      expect(response, JSON.stringify(changes).slice(0, 80)).toMatchObject({ status: 422 });
      expect(response.body).toHaveProperty('error.errors', errors);
    }
    expect((await mine.call('GET', `/monitors/${before.id}`)).body).toEqual({ data: before });
  });

  test.each([
    '{"zeta":1,"url":"https://shop.example.com/?q=%C3%BC","alpha":{"z":[1,[],{"é":"😀\\u0000","a":null}],"b":""},"":false,"n":-1.5e-7}',
    '{"url":"https://x.example","9":1,"10":{"b":1,"2":0,"1":0},"number":12345678901234567890.000, "spaced" :\t1}',
    '{"url":"https://x.example","__proto__":{"enabled":true},"constructor":{"prototype":{"x":1}},"config":{"config":1}}',
    '{"url":"https://x.example","quotes":"\\"},{\\"config\\":1","slash":"\\/"}',
  ])('a config is returned byte for byte: %s', async (sent) => {
    const { mine } = fixture();
    const answered = async (method: string, path: string, body?: string) => (await mine.call(method, path, body)).text;
    const here = `"config":${sent}`;

    const { id } = await mine.create('/monitors', idleMonitor());
    expect(await answered('PATCH', `/monitors/${id}`, `{"config":${sent}}`)).toContain(here);
    expect(await answered('GET', `/monitors/${id}`)).toContain(here);
    expect(await answered('GET', '/monitors')).toContain(here);
    expect(await answered('PATCH', `/monitors/${id}`, '{"name":"Other"}')).toContain(here);
    expect(await answered('PATCH', `/monitors/${id}`, '{"config":{"url":"https://x.example"}}')).toContain(
      '"config":{"url":"https://x.example"}',
    );
  });

  test('a PATCH changes only the fields in its body', async () => {
    const { mine } = fixture();
    const before = await mine.create<Monitor>(
      '/monitors',
      idleMonitor({ ...config({ method: 'HEAD' }), timeout_ms: 5_000 }),
    );
    const changed = await mine.call('PATCH', `/monitors/${before.id}`, { interval_seconds: 60 });
    const expected = { ...before, interval_seconds: 60, updated_at: expect.any(String) };
    expect(changed).toMatchObject({ status: 200, body: { data: expected } });
    expect((await mine.call('GET', `/monitors/${before.id}`)).body).toEqual({ data: expected });
  });

  test('a PATCH may repeat the type of a monitor but not change it', async () => {
    const { mine } = fixture();
    const { id } = await mine.create('/monitors', idleMonitor());
    expect(await mine.call('PATCH', `/monitors/${id}`, { check_type: 'http' })).toMatchObject({ status: 200 });
    expect(await mine.call('PATCH', `/monitors/${id}`, { check_type: 'tcp' })).toMatchObject({
      status: 422,
      body: { error: { errors: { check_type: ["can't be changed; this monitor is of type http"] } } },
    });
  });

  test('a new monitor is linked to the channels in the request, or to the default channels if the request has no list', async () => {
    const { mine } = fixture();
    const plain = await mine.create('/alert-channels', webhookChannel());
    const byDefault = await mine.create('/alert-channels', webhookChannel({ default_for_new_monitors: true }));
    const linked = async (changes: object) =>
      (await mine.create<Monitor>('/monitors', idleMonitor(changes))).alert_channel_ids;
    expect(await linked({ alert_channel_ids: undefined })).toEqual([byDefault.id]);
    expect(await linked({ alert_channel_ids: [] })).toEqual([]);
    expect(await linked({ alert_channel_ids: [plain.id, plain.id] })).toEqual([plain.id]);

    const { id } = await mine.create('/monitors', idleMonitor({ alert_channel_ids: [plain.id] }));
    const channels = async (changes: object) =>
      ((await mine.call('PATCH', `/monitors/${id}`, changes)).body as { data: Monitor }).data.alert_channel_ids;
    expect(await channels({ name: 'Other' })).toEqual([plain.id]);
    expect(await channels({ alert_channel_ids: [byDefault.id] })).toEqual([byDefault.id]);

    expect(await mine.call('DELETE', `/alert-channels/${byDefault.id}`)).toMatchObject({ status: 204 });
    await eventually(async () => expect(await channels({})).toEqual([]));
    expect(await mine.call('DELETE', `/alert-channels/${plain.id}`)).toMatchObject({ status: 204 });
  });

  test('a link to a channel has settings, and a PATCH with only channel ids does not change these settings', async () => {
    const { mine } = fixture();
    const [first, second] = [
      await mine.create('/alert-channels', webhookChannel()),
      await mine.create('/alert-channels', webhookChannel()),
    ];
    const events = ['cert_expiring', 'monitor_down'];
    const linked = idleMonitor({
      alert_channel_ids: [first.id, { channel_id: second.id, after_minutes: 1_440, events }],
    });
    const links = {
      alert_channel_ids: [first.id, second.id],
      alert_channel_links: [{ channel_id: second.id, after_minutes: 1_440, events: ['monitor_down', 'cert_expiring'] }],
    };
    const monitor = await mine.create<Monitor>('/monitors', linked);
    expect(monitor).toMatchObject(links);
    expect(await mine.call('POST', '/monitors/batch', { monitors: [linked] })).toMatchObject({
      body: { data: [links] },
    });
    const path = `/monitors/${monitor.id}`;
    expect((await mine.call('GET', path)).body).toEqual({ data: monitor });
    const listed = (await mine.call('GET', '/monitors')).body as { data: Monitor[] };
    expect(listed.data.find(({ id }) => id === monitor.id)).toEqual(monitor);
    const patched = async (links: unknown) =>
      (await mine.call('PATCH', path, { alert_channel_ids: links })).body as { data: Record<string, unknown> };
    expect((await patched([second.id])).data.alert_channel_links).toEqual(
      (monitor as unknown as { alert_channel_links: unknown }).alert_channel_links,
    );
    expect((await patched([{ channel_id: second.id, after_minutes: 0, events: null }])).data).not.toHaveProperty(
      'alert_channel_links',
    );
    expect((await patched([{ channel_id: second.id, after_minutes: 5 }, first.id])).data).toMatchObject({
      alert_channel_ids: [second.id, first.id],
      alert_channel_links: [{ channel_id: second.id, after_minutes: 5, events: null }],
    });
    expect(await mine.call('DELETE', `/alert-channels/${second.id}`)).toMatchObject({ status: 204 });
    await eventually(async () =>
      expect((await mine.call('GET', path)).body).not.toHaveProperty('data.alert_channel_links'),
    );
    expect(await mine.call('DELETE', `/alert-channels/${first.id}`)).toMatchObject({ status: 204 });
  });

  test('the state of a new, disabled monitor is null, and the time of a state has microseconds', async () => {
    const { mine, target } = fixture();
    const idle = await mine.create('/monitors', idleMonitor());
    expect((await mine.call('GET', `/monitors/${idle.id}/state`)).body).toEqual({
      data: { state: null, entered_at: null, previous_state: null },
    });

    const { id } = await mine.create('/monitors', idleMonitor({ enabled: true, config: { url: target.url } }));
    await eventually(async () =>
      expect((await mine.call('GET', `/monitors/${id}/state`)).body).toEqual({
        data: {
          state: 'up',
          entered_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
          previous_state: 'pending',
        },
      }),
    );
    expect(await mine.call('DELETE', `/monitors/${id}`)).toMatchObject({ status: 204 });
    expect(await mine.call('DELETE', `/monitors/${id}`)).toMatchObject({ status: 404 });
    expect(await mine.call('GET', `/monitors/${id}/state`)).toMatchObject({ status: 404 });
  });

  test('alert_channels_broken is true while every channel of a monitor is broken', async () => {
    const { mine, ask, network, receiver } = fixture();
    const gone = `${network.baseUrl}/gone`;
    const { id: broken } = await mine.create('/alert-channels', webhookChannel({ config: { url: gone } }));
    const changes = { check_type: 'heartbeat', config: {}, enabled: true, confirm_down_minutes: 0 };
    const job = idleMonitor({ ...changes, alert_channel_ids: [broken] });
    const { id, heartbeat_token: token } = await mine.create<Monitor & { heartbeat_token: string }>('/monitors', job);
    expect(await mine.call('GET', `/monitors/${id}`)).not.toHaveProperty('body.data.alert_channels_broken');
    await ask('POST', `/api/heartbeat/${token}/fail`);
    await eventually(async () => {
      expect(await mine.call('GET', `/monitors/${id}`)).toMatchObject({
        body: { data: { alert_channels_broken: true } },
      });
    });
    const { body } = await mine.call('GET', '/monitors?limit=100');
    expect((body as { data: object[] }).data).toContainEqual(
      expect.objectContaining({ id, alert_channels_broken: true }),
    );
    expect(await mine.call('PATCH', `/monitors/${id}`, { name: 'Renamed' })).toMatchObject({
      body: { data: { alert_channels_broken: true } },
    });
    expect(await mine.call('POST', '/monitors', { ...job, enabled: false })).toMatchObject({
      body: { data: { alert_channels_broken: true } },
    });
    expect(await mine.call('POST', '/monitors/batch', { monitors: [{ ...job, enabled: false }] })).toMatchObject({
      body: { data: [{ alert_channels_broken: true }] },
    });
    const config = { url: `${receiver.url}/well` };
    const well = await mine.create('/alert-channels', webhookChannel({ config }));
    const changed = await mine.call('PATCH', `/monitors/${id}`, { alert_channel_ids: [broken, well.id] });
    expect(changed).not.toHaveProperty('body.data.alert_channels_broken');
  });
}
