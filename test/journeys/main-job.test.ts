import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fixture, startFixture } from './fixture.ts';
import type { Shop } from './shop.ts';

let fixture: Fixture;

/** Timeout for one round of checks. Rounds start every 30 seconds. */
const withinARound = { timeoutMs: 45_000 };

describe.each(['separate', 'one'])('with TOCSIN_PROCESSES=%s', (processes) => {
  beforeAll(async () => {
    fixture = await startFixture({ TOCSIN_PROCESSES: processes });
  });
  afterAll(() => fixture?.[Symbol.asyncDispose]());

  test('an outage and its recovery cause a disruption, alerts and page updates automatically', async () => {
    const { network, receiver, target } = fixture;
    const shop = await fixture.openShop();
    await addTemplate(shop.monitorId);
    await eventually(async () => expect(await shop.state()).toBe('up'));
    await eventually(async () => expect(await shop.page()).toContain('Operational'));
    expect(await shop.disruptions()).toEqual([]);

    target.break();
    await eventually(async () => expect(await shop.state()).toBe('down'), withinARound);
    await eventually(async () => expect(receiver.alerts(`/${shop.slug}/hook`)).toHaveLength(1));
    await eventually(async () => expect(receiver.alerts(`/${shop.slug}/slack`)).toHaveLength(1));
    await eventually(async () => expect(await shop.page()).toContain('Major outage'));
    // Visitors see that the component is down, but no internal addresses.
    expect(await shop.page()).toContain('is not working as expected');
    expect((await shop.page()).replaceAll(network.baseUrl, '')).not.toMatch(/What was seen|status 502|127\.0\.0\.1/);
    const [open] = await shop.disruptions();
    expect(open).toMatchObject({
      auto_created: true,
      status: 'investigating',
      impact: 'critical',
      resolved_at: null,
      affected_components: [{ id: shop.componentId, status: 'major_outage' }],
    });
    expect(open?.updates[0]?.explanation).toContain('status 502, expected 200 to 399');
    const published = { disruption_id: open?.id };
    expect(receiver.alerts(`/${shop.slug}/hook`)[0]?.body).toMatchObject({ event: 'monitor_down', ...published });
    const page = `${network.baseUrl}/s/${shop.slug}`;
    await eventually(async () =>
      expect(receiver.alerts('/template').map(({ body }) => body)).toEqual([{ disruption: open?.id, page }]),
    );

    await acknowledge(shop, receiver.alerts(`/${shop.slug}/hook`)[0]?.body.outage_url);

    target.repair();
    await eventually(async () => expect(await shop.state()).toBe('up'), withinARound);
    await eventually(async () => expect(receiver.alerts(`/${shop.slug}/hook`)).toHaveLength(2));
    await eventually(async () => expect(receiver.alerts(`/${shop.slug}/slack`)).toHaveLength(2));
    await eventually(async () => expect(await shop.page()).not.toContain('Major outage'));
    const disruptions = await shop.disruptions();
    expect(disruptions).toHaveLength(1);
    expect(disruptions[0]).toMatchObject({
      id: open?.id,
      status: 'resolved',
      resolved_at: expect.any(String),
      affected_components: [{ status: 'operational' }],
    });
    expect(receiver.alerts(`/${shop.slug}/hook`).map(({ body }) => body)).toMatchObject([
      { event: 'monitor_down', ...published },
      { event: 'monitor_recovered', ...published },
    ]);
  });
});

/** Opens the link in an alert and acknowledges the outage on the linked page, without signing in. */
async function acknowledge(shop: Shop, link: unknown): Promise<void> {
  const url = String(link);
  expect(url.startsWith(`${fixture.network.baseUrl}/o/`)).toBe(true);
  await eventually(async () => {
    const page = await (await fetch(url)).text();
    for (const part of ['is down', 'status 502, expected 200 to 399', 'Failed', 'Arrived', `/s/${shop.slug}`])
      expect(page).toContain(part);
  });
  expect(await shop.disruptions()).toMatchObject([{ acknowledged_at: null }]);
  const after = await (await fetch(url, { method: 'POST', body: new URLSearchParams({ name: 'Jane' }) })).text();
  expect(after).toContain('Jane (by the link)');
  expect(await shop.disruptions()).toMatchObject([{ acknowledged_by: 'Jane (by the link)' }]);
}

/** Adds a channel with a message template that contains the disruption's id and the URL of the public page. */
async function addTemplate(monitorId: string): Promise<void> {
  const template = '{"disruption": "{{disruption_id}}", "page": "{{status_page_url}}"}';
  const channel = await fixture.network.api.post<{ id: string }>('/alert-channels', {
    name: 'Template',
    type: 'webhook',
    config: { url: `${fixture.receiver.url}/template`, payload_template: template },
  });
  const path = `/monitors/${monitorId}`;
  const { alert_channel_ids: ids } = await fixture.network.api.get<{ alert_channel_ids: string[] }>(path);
  await fixture.network.api.patch(path, { alert_channel_ids: [...ids, channel.id] });
}
