import { expect, test } from 'vitest';
import { type Fixture, idleMonitor, webhookChannel } from './fixture.ts';

interface Monitor {
  readonly id: string;
  readonly name: string;
  readonly alert_channel_ids: readonly string[];
}

/** Converts the errors for a single monitor to those for the first monitor in a batch. */
export function inBatch(errors: Readonly<Record<string, readonly string[]>>) {
  return Object.fromEntries(Object.entries(errors).map(([field, messages]) => [`monitors.0.${field}`, messages]));
}

export function batchesOfMonitors(fixture: () => Fixture): void {
  test('a batch creates its monitors in order, each linked to the channels it names or to the default channels', async () => {
    const { mine } = fixture();
    const named = await mine.create('/alert-channels', webhookChannel());
    const byDefault = await mine.create('/alert-channels', webhookChannel({ default_for_new_monitors: true }));
    const link = { channel_id: named.id, after_minutes: 5, events: ['monitor_down'] };
    const text = '{"url":"https://x.example","9":1,"10":{"b":1},"number":12345678901234567890.000}';
    const first = JSON.stringify(idleMonitor({ name: 'First', alert_channel_ids: [link], config: 'here' }));
    const second = JSON.stringify(idleMonitor({ name: 'Second', alert_channel_ids: undefined }));
    const others = Array.from({ length: 198 }, (_, n) => JSON.stringify(idleMonitor({ name: `Other ${n}` })));
    const monitors = [first.replace('"here"', text), second, ...others].join(',');
    const response = await mine.call('POST', '/monitors/batch', `{"monitors":[${monitors}]}`, {
      'content-type': 'application/json',
    });
    expect(response).toMatchObject({ status: 201 });
    expect(response.text).toContain(`"config":${text}`);
    const { data } = response.body as { data: Monitor[] };
    expect(data.map(({ name }) => name)).toEqual(['First', 'Second', ...others.map((_, n) => `Other ${n}`)]);
    expect(data[0]).toMatchObject({ alert_channel_ids: [named.id], alert_channel_links: [link] });
    expect(data[1]?.alert_channel_ids).toEqual([byDefault.id]);
    expect(data[2]?.alert_channel_ids).toEqual([]);
    for (const monitor of data.slice(0, 3)) {
      expect((await mine.call('GET', `/monitors/${monitor.id}`)).body).toEqual({ data: monitor });
    }
    for (const { id } of data) await mine.call('DELETE', `/monitors/${id}`);
    for (const { id } of [named, byDefault]) await mine.call('DELETE', `/alert-channels/${id}`);
  });

  test('a batch with one invalid monitor creates no monitor, and each error contains the position of its monitor', async () => {
    const { call } = fixture().mine;
    const count = async () => ((await call('GET', '/monitors?q=batched')).body as { data: object[] }).data.length;
    const right = idleMonitor({ name: 'Batched' });
    const wrong = [idleMonitor({ name: 'Batched', timeout_ms: 1 }), idleMonitor({ config: { url: 'x' } })];
    const response = await call('POST', '/monitors/batch', { monitors: [right, ...wrong, right] });
    expect(response).toMatchObject({ status: 422 });
    expect(response.body).toHaveProperty('error.errors', {
      'monitors.1.timeout_ms': ['must be between 1000 and 60000'],
      'monitors.2.config.url': [
        'must be an http or https URL such as https://example.com/health: it must begin with http:// or https://',
      ],
    });
    expect(await count()).toBe(0);
  });

  test.each([
    ['no list', {}, 'is required'],
    ['another type', { monitors: {} }, 'must be an array'],
    ['no monitor', { monitors: [] }, 'must have between 1 and 200 items'],
    ['201 monitors', { monitors: Array(201).fill(idleMonitor()) }, 'must have between 1 and 200 items'],
  ])('a batch with %s is refused', async (_, body, problem) => {
    const response = await fixture().mine.call('POST', '/monitors/batch', body);
    expect(response).toMatchObject({ status: 422, body: { error: { errors: { monitors: [problem] } } } });
  });

  test('the ignored fields of a batch are listed with the positions of their monitors', async () => {
    const { mine } = fixture();
    const misspelled = idleMonitor({ colour: 'red', config: { url: 'https://shop.example.com/', methud: 'GET' } });
    const response = await mine.call('POST', '/monitors/batch', { monitors: [idleMonitor(), misspelled] });
    expect(response).toMatchObject({ status: 201 });
    expect(response.headers.get('x-tocsin-ignored')).toBe('monitors.1.colour, monitors.1.config.methud');
  });
}
