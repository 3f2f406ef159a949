import { randomUUID } from 'node:crypto';
import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { type Fixture, idleMonitor, newWebhook } from './fixture.ts';

interface Webhook {
  readonly id: string;
  readonly secret: string;
  readonly url: string;
}

interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly status: string;
}

interface Heartbeat {
  readonly id: string;
  readonly heartbeat_token: string;
  readonly heartbeat_url: string;
}

const kinds = [
  'monitor.created',
  'monitor.updated',
  'monitor.deleted',
  'monitor.state_changed',
  'disruption.created',
  'disruption.updated',
  'disruption.resolved',
];

const accepted: [string, object, object?][] = [
  ['every kind of event', { events: kinds }],
  ['a repeated kind of event, which is stored once', { events: [...kinds, 'monitor.created'] }, { events: kinds }],
  ['one kind of event', { events: ['disruption.updated'] }],
  ['enabled set to false', { enabled: false }],
  ['plain http to an allowed address', { url: 'http://127.0.0.1:9/hook' }],
];

const refused: [object, string][] = [
  [{ url: '' }, 'url'],
  [{ url: 5 }, 'url'],
  [{ url: 'hooks.example.com' }, 'url'],
  [{ url: 'ftp://hooks.example.com/' }, 'url'],
  [{ url: 'http://hooks.example.com/' }, 'url'],
  [{ url: 'http://10.0.0.1/' }, 'url'],
  [{ url: 'https://169.254.169.254/latest/meta-data' }, 'url'],
  [{ url: 'https://[::ffff:10.0.0.1]/' }, 'url'],
  [{ url: 'https://jane:secret@hooks.example.com/' }, 'url'],
  [{ url: `https://hooks.example.com/${'x'.repeat(2048)}` }, 'url'],
  [{ events: [] }, 'events'],
  [{ events: 'monitor.created' }, 'events'],
  [{ events: ['monitor.created', 'monitor.exploded'] }, 'events.1'],
  [{ events: ['*'] }, 'events.0'],
  [{ enabled: 'yes' }, 'enabled'],
];

export function fieldsOfWebhooks(fixture: () => Fixture): void {
  test.each(accepted)('a webhook with %s is accepted', async (_, changes, shown = changes) => {
    const { mine } = fixture();
    const { secret, ...webhook } = await mine.create<Webhook>('/webhooks', newWebhook(changes));
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toEqual({
      id: expect.any(String),
      url: 'http://127.0.0.1:9/tocsin',
      events: ['monitor.created'],
      enabled: true,
      disabled_at: null,
      disabled_reason: null,
      inserted_at: expect.any(String),
      updated_at: expect.any(String),
      ...shown,
    });
    const path = `/webhooks/${webhook.id}`;
    expect((await mine.call('GET', path)).body).toEqual({ data: webhook });
    expect(await mine.call('PATCH', path, changes)).toMatchObject({ status: 200, body: { data: shown } });
  });

  test.each(['url', 'events'])('a new webhook without %s is refused', async (field) => {
    const response = await fixture().mine.call('POST', '/webhooks', newWebhook({ [field]: undefined }));
    expect(response).toMatchObject({ status: 422, body: { error: { errors: { [field]: ['is required'] } } } });
  });

  test.each(refused)('a webhook with %j is refused with an error for %s', async (changes, field) => {
    const { mine } = fixture();
    const { secret: _secret, ...before } = await mine.create<Webhook>('/webhooks', newWebhook());
    for (const response of [
      await mine.call('POST', '/webhooks', newWebhook(changes)),
      await mine.call('PATCH', `/webhooks/${before.id}`, changes),
    ]) {
      expect(response).toMatchObject({ status: 422, body: { error: { type: 'validation_error' } } });
      expect(Object.keys((response.body as { error: { errors: object } }).error.errors)).toEqual([field]);
    }
    expect((await mine.call('GET', `/webhooks/${before.id}`)).body).toEqual({ data: before });
  });

  test('null is refused for every field', async () => {
    const { mine } = fixture();
    const { id } = await mine.create('/webhooks', newWebhook());
    const response = await mine.call('PATCH', `/webhooks/${id}`, { url: null, events: null, enabled: null });
    const words = ['must not be null'];
    expect(response).toMatchObject({
      status: 422,
      body: { error: { errors: { url: words, events: words, enabled: words } } },
    });
  });

  test('a PATCH changes only the fields in its body', async () => {
    const { mine } = fixture();
    const { secret: _secret, ...before } = await mine.create<Webhook>('/webhooks', newWebhook());
    const path = `/webhooks/${before.id}`;
    const changed = { ...before, events: ['monitor.deleted'], updated_at: expect.any(String) };
    expect((await mine.call('PATCH', path, { events: ['monitor.deleted'] })).body).toEqual({ data: changed });
    expect((await mine.call('PATCH', path, {})).body).toEqual({ data: changed });
  });

  test('rotating the secret returns a new one, which is shown once', async () => {
    const { mine } = fixture();
    const { id, secret } = await mine.create<Webhook>('/webhooks', newWebhook());
    const rotated = await mine.call('POST', `/webhooks/${id}/rotate-secret`);
    expect(rotated).toMatchObject({
      status: 200,
      body: { data: { secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) } },
    });
    expect(rotated.text).not.toContain(secret);
    expect((await mine.call('GET', `/webhooks/${id}`)).body).not.toHaveProperty('data.secret');
  });

  test('a replay is accepted only for the last 30 days and for an enabled webhook', async () => {
    const { mine } = fixture();
    const { id } = await mine.create('/webhooks', newWebhook());
    const replay = (since: unknown) => mine.call('POST', `/webhooks/${id}/replay`, { since });
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    expect(await replay(daysAgo(29.9))).toMatchObject({ status: 200, body: { data: { replayed: 0 } } });
    for (const wrong of [daysAgo(30.1), daysAgo(-1), 'yesterday', undefined]) {
      expect(await replay(wrong)).toMatchObject({
        status: 422,
        body: { error: { errors: { since: [expect.any(String)] } } },
      });
    }
    await mine.call('PATCH', `/webhooks/${id}`, { enabled: false });
    expect(await replay(daysAgo(1))).toMatchObject({ status: 409, body: { error: { type: 'conflict' } } });
    expect(await mine.call('GET', `/webhooks/${id}/deliveries?status=failed`)).toMatchObject({ body: { data: [] } });
  });

  test('a deleted webhook is not found', async () => {
    const { mine } = fixture();
    const { id } = await mine.create('/webhooks', newWebhook());
    expect(await mine.call('DELETE', `/webhooks/${id}`)).toMatchObject({ status: 204 });
    for (const method of ['GET', 'DELETE']) {
      expect(await mine.call(method, `/webhooks/${id}`)).toMatchObject({ status: 404 });
    }
    expect(JSON.stringify((await mine.call('GET', '/webhooks')).body)).not.toContain(id);
  });

  test('a list of webhooks can be paged', async () => {
    const { mine } = fixture();
    await mine.create('/webhooks', newWebhook());
    const all = (await mine.call('GET', '/webhooks')).body as { data: Webhook[] };
    const first = await mine.call('GET', '/webhooks?limit=1');
    expect(first.body).toEqual({ data: all.data.slice(0, 1) });
    const next = /^<\/api\/v1(.*)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect((await mine.call('GET', next)).body).toEqual({ data: all.data.slice(1, 2) });
    for (const query of ['limit=0', 'limit=1001', 'limit=x', 'cursor=x']) {
      expect(await mine.call('GET', `/webhooks?${query}`), query).toMatchObject({ status: 422 });
    }
  });

  test('the data in a delivery equals the response to a GET', async () => {
    const { mine, receiver } = fixture();
    const path = `/data/${randomUUID()}`;
    const { id } = await mine.create('/webhooks', newWebhook({ url: `${receiver.url}${path}`, events: kinds }));
    const newest = (type: string) => {
      const bodies = receiver.alerts(path).map(({ body }) => body);
      const found = bodies.filter((body) => body.type === type).at(-1);
      expect(found, type).toBeDefined();
      fixture().document.checkEvent(found);
      return found?.data;
    };
    const dataOf = async (type: string) => {
      try {
        return await eventually(() => newest(type));
      } catch (error) {
        const { body } = await mine.call('GET', `/webhooks/${id}/deliveries`);
        throw new Error(`${type} did not arrive; deliveries: ${JSON.stringify(body)}`, { cause: error });
      }
    };
    const config = { url: 'https://shop.example.com/', headers: { 'x-b': '1', 'x-a': '2' } };
    const monitor = await mine.create('/monitors', idleMonitor({ config }));
    expect(await dataOf('monitor.created')).toEqual(monitor);
    const heartbeat = await mine.create<Heartbeat>('/monitors', idleMonitor({ check_type: 'heartbeat', config: {} }));
    // Events do not contain the token, because the token allows pings.
    const { heartbeat_token: _token, heartbeat_url: _url, ...published } = heartbeat;
    await eventually(async () => expect(await dataOf('monitor.created')).toEqual(published));
    await mine.call('PATCH', `/monitors/${monitor.id}`, { name: 'New name' });
    const now = await mine.call('GET', `/monitors/${monitor.id}`);
    expect({ data: await dataOf('monitor.updated') }).toEqual(now.body);
    await mine.call('DELETE', `/monitors/${monitor.id}`);
    expect({ data: await dataOf('monitor.deleted') }).toEqual(now.body);

    const disruption = await mine.create('/disruptions', {
      title: 'Nothing works',
      started_at: '2026-11-20T10:00:00Z',
    });
    expect(await dataOf('disruption.created')).toEqual(disruption);
    const steps = [
      ['identified', 'disruption.updated'],
      ['resolved', 'disruption.resolved'],
    ] as const;
    for (const [status, type] of steps) {
      const { body } = await mine.call('PATCH', `/disruptions/${disruption.id}`, { status });
      expect({ data: await dataOf(type) }).toEqual(body);
      expect((await mine.call('GET', `/disruptions/${disruption.id}`)).body).toEqual(body);
    }
    await mine.call('DELETE', `/webhooks/${id}`);
  });

  test('the responses to a test message and to a redelivery contain the outcome', async () => {
    const { mine, receiver } = fixture();
    const path = `/tested/${randomUUID()}`;
    const { id } = await mine.create('/webhooks', newWebhook({ url: `${receiver.url}${path}` }));
    const tested = await mine.call('POST', `/webhooks/${id}/test`);
    const sent = {
      id: expect.any(String),
      event: 'webhook.test',
      resource_id: id,
      status: 'sent',
      error: null,
      attempts: [
        { at: expect.any(String), status_code: 200, error: null, duration_ms: expect.any(Number), response: 'ok' },
      ],
      next_attempt_at: null,
      request_body: expect.stringContaining(id),
      late: false,
      inserted_at: expect.any(String),
    };
    expect(tested).toMatchObject({ status: 200, body: { data: sent } });
    const { data } = tested.body as { data: Delivery };
    expect((await mine.call('GET', `/webhooks/${id}/deliveries`)).body).toEqual({ data: [data] });

    const again = await mine.call('POST', `/webhooks/${id}/deliveries/${data.id}/redeliver`);
    expect(again).toMatchObject({ status: 200, body: { data: { id: data.id, attempts: [{}, { status_code: 200 }] } } });
    expect(receiver.requests(path)).toHaveLength(2);
    expect(receiver.alerts(path)).toHaveLength(1);
    const none = await mine.call('POST', `/webhooks/${id}/deliveries/${randomUUID()}/redeliver`);
    expect(none).toMatchObject({ status: 404 });
    const unreachable = await mine.create('/webhooks', newWebhook({ url: 'http://127.0.0.1:1/' }));
    expect(await mine.call('POST', `/webhooks/${unreachable.id}/test`)).toMatchObject({
      status: 200,
      body: { data: { status: 'failed', error: 'connection refused by 127.0.0.1:1', attempts: [{}] } },
    });
  });
}
