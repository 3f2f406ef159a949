import { randomUUID } from 'node:crypto';
import { eventually } from '@tocsin/testing';
import { expect, test } from 'vitest';
import { type Fixture, idleMonitor, newPage, newWebhook, webhookChannel } from './fixture.ts';

/** Tests requests with one invalid field. They reach the service, but must change and publish nothing. */
export function refusedBodies(fixture: () => Fixture): void {
  /** Returns every resource that an invalid request could change. */
  async function everything(): Promise<unknown[]> {
    const lists = ['monitors', 'alert-channels', 'webhooks', 'status-pages', 'disruptions', 'api-keys'];
    const responses = lists.map((list) => fixture().mine.call('GET', `/${list}`));
    return JSON.parse(
      JSON.stringify((await Promise.all(responses)).map(({ body }) => body)).replaceAll(/"last_used_at":[^,]+,/g, ''),
    );
  }

  test.each([
    ['PATCH', '/monitors/:id', { name: 5 }],
    ['PATCH', '/alert-channels/:id', { config: [] }],
    ['PATCH', '/webhooks/:id', { url: 5 }],
    ['PATCH', '/incidents/:id', { status: 'over' }],
    ['PATCH', '/disruptions/:id', { started_at: 'noon' }],
    ['PATCH', '/status-pages/:id', { slug: '' }],
    ['PUT', '/status-pages/:id/structure', {}],
    ['PUT', '/status-pages/:id/structure', { components: [{ type: 'tree' }] }],
    ['PUT', '/status-pages/:id/custom-domain', {}],
    ['POST', '/status-pages/:id/components', {}],
    ['POST', '/status-pages/:id/component-groups', { name: '' }],
  ])('%s %s with an unknown id is not found, even with the invalid body %j', async (method, path, body) => {
    const response = await fixture().mine.call(method, path.replace(':id', randomUUID()), body);
    expect(response).toMatchObject({ status: 404, body: { error: { type: 'not_found' } } });
  });

  test('an invalid PATCH returns the schema errors and the errors of the service in one response', async () => {
    const { mine } = fixture();
    const channel = await mine.create('/alert-channels', webhookChannel());
    expect(await mine.call('PATCH', `/alert-channels/${channel.id}`, { name: 5, config: {} })).toMatchObject({
      body: { error: { errors: { name: ['must be a string'], 'config.url': ['is required'] } } },
    });
    const webhook = await mine.create('/webhooks', newWebhook());
    expect(await mine.call('PATCH', `/webhooks/${webhook.id}`, { enabled: 'no', url: 'ftp://x' })).toMatchObject({
      body: { error: { errors: { enabled: ['must be true or false'], url: ['must be an https URL'] } } },
    });
    await mine.call('DELETE', `/webhooks/${webhook.id}`);
  });

  test('a malformed time hides no other error', async () => {
    const disruption = { title: 'Slow', started_at: 'noon', status_page_id: randomUUID(), components: [] };
    expect(await fixture().mine.call('POST', '/disruptions', disruption)).toMatchObject({
      status: 422,
      body: {
        error: {
          errors: {
            started_at: [expect.stringContaining('ISO 8601')],
            status_page_id: [expect.any(String)],
          },
        },
      },
    });
  });

  test('a refused request changes nothing, publishes nothing and reveals no secret', async () => {
    const { mine, receiver } = fixture();
    const path = `/examined/${randomUUID()}`;
    const hook = `${receiver.url}${path}`;
    const events = ['monitor.created', 'monitor.updated', 'disruption.created', 'disruption.updated'];
    const webhook = await mine.create('/webhooks', newWebhook({ url: hook, events }));
    const channel = await mine.create('/alert-channels', webhookChannel({ config: { url: hook } }));
    const monitor = await mine.create('/monitors', idleMonitor({ name: 'Examined' }));
    const page = await mine.create('/status-pages', newPage());
    const component = await mine.create(`/status-pages/${page.id}/components`, { name: 'API' });
    const started_at = '2026-01-01T10:00:00Z';
    const disruption = await mine.create('/disruptions', { title: 'Slow', started_at });
    await eventually(() => expect(receiver.alerts(path)).toHaveLength(2));

    const published = { status_page_id: page.id, components: [{ id: component.id, status: 'major_outage' }] };
    const tree = {
      components: [
        { type: 'component', name: 'New' },
        { type: 'component', name: '' },
      ],
    };
    const wrong: [string, string, object][] = [
      ['POST', '/monitors', idleMonitor({ timeout_ms: 999, enabled: true, alert_channel_ids: [channel.id] })],
      ['PATCH', `/monitors/${monitor.id}`, { timeout_ms: 999, enabled: true, name: 'Changed' }],
      ['POST', '/alert-channels', webhookChannel({ enabled: 'yes', default_for_new_monitors: true })],
      ['PATCH', `/alert-channels/${channel.id}`, { name: 5, enabled: false }],
      ['POST', '/webhooks', newWebhook({ enabled: 'yes' })],
      ['PATCH', `/webhooks/${webhook.id}`, { enabled: false, url: 5 }],
      ['POST', '/disruptions', { title: 'New', started_at, impact: 'huge', ...published }],
      ['POST', '/incidents', { title: 'New', impact: 'huge', ...published }],
      ['PATCH', `/disruptions/${disruption.id}`, { status: 'resolved', title: 5, ...published }],
      ['POST', '/status-pages', newPage({ theme: 'blue' })],
      ['PATCH', `/status-pages/${page.id}`, { name: 'Changed', theme: 'blue' }],
      ['PUT', `/status-pages/${page.id}/structure`, tree],
      ['POST', `/status-pages/${page.id}/components`, { name: 'New', position: 'first' }],
      ['PATCH', `/status-pages/${page.id}/components/${component.id}`, { name: 'Changed', position: 'first' }],
      ['POST', `/status-pages/${page.id}/component-groups`, { name: 'New', position: 'first' }],
      ['POST', '/api-keys', { name: 'New', permissions: ['monitors:read'], expires_at: 5 }],
    ];
    const before = await everything();
    for (const [method, at, body] of wrong) {
      const response = await mine.call(method, at, body);
      expect(response, `${method} ${at}`).toMatchObject({ status: 422 });
      expect(response.text).not.toMatch(/whsec_|tocsin_|dry/);
    }
    expect(await everything()).toEqual(before);

    // Events arrive in order, so an event of the refused requests would have arrived before this one.
    await mine.call('PATCH', `/monitors/${monitor.id}`, { name: 'In the end' });
    await mine.call('PATCH', `/disruptions/${disruption.id}`, { title: 'In the end' });
    await eventually(() => expect(receiver.alerts(path)).toHaveLength(4));
    expect(receiver.alerts(path).map(({ body }) => body.type)).toEqual(expect.arrayContaining(events));
    await mine.call('DELETE', `/webhooks/${webhook.id}`);
  });
}
