import { eventually } from '@tocsin/testing';
import { afterAll, expect, test } from 'vitest';
import { allHeard } from './all-heard.ts';
import { startFixture } from './fixture.ts';
import type { Shop } from './shop.ts';

const fixture = await startFixture();
afterAll(() => fixture[Symbol.asyncDispose]());
const { network, receiver, target } = fixture;

/** Timeout for one round of checks. Rounds start every 30 seconds. */
const timing = { timeoutMs: 60_000, intervalMs: 100 };

/** Starts maintenance of the shop's only component. Returns the function that ends it. */
async function beginMaintenance({ slug, componentId }: Shop): Promise<() => Promise<unknown>> {
  const { api } = network;
  const page = (await api.get<{ id: string; slug: string }[]>('/status-pages')).find((found) => found.slug === slug);
  const { id } = await api.post<{ id: string }>('/disruptions', {
    type: 'maintenance',
    title: 'New disks',
    started_at: new Date().toISOString(),
    status_page_id: page?.id,
    components: [{ id: componentId, status: 'under_maintenance' }],
  });
  await allHeard(network);
  return () => api.patch(`/disruptions/${id}`, { status: 'completed' });
}

interface Uptime {
  readonly distribution: { readonly pass: number; readonly fail: number };
}

async function failures({ monitorId }: Shop): Promise<{ counted: number; seen: number }> {
  const { distribution } = await network.api.get<Uptime>(`/monitors/${monitorId}/uptime`);
  const runs = await network.api.get<{ results: { outcome: string }[] }[]>(`/monitors/${monitorId}/runs`);
  const seen = runs.filter(({ results }) => results.some(({ outcome }) => outcome === 'fail')).length;
  return { counted: distribution.fail, seen };
}

const eventsOf = ({ slug }: Shop, channel: string) =>
  receiver.alerts(`/${slug}/${channel}`).map(({ body }) => body.event ?? 'slack');

test('an outage that begins during maintenance raises an alert and counts against uptime only after the end of the maintenance', async () => {
  const shop = await fixture.openShop();
  await eventually(async () => expect(await shop.state()).toBe('up'), timing);
  const complete = await beginMaintenance(shop);
  expect(await shop.page()).toContain('New disks');

  target.break();
  await shop.nudge();
  await eventually(async () => expect(await shop.state()).toBe('down'), timing);
  await allHeard(network);
  expect(eventsOf(shop, 'hook')).toEqual([]);
  expect(await shop.disruptions()).toEqual([]);
  expect(await shop.page()).not.toContain('Major outage');
  const during = await failures(shop);
  expect(during.seen).toBeGreaterThan(0);
  expect(during.counted).toBe(0);

  await complete();
  await eventually(() => expect(eventsOf(shop, 'hook')).toEqual(['monitor_down']), timing);
  await eventually(async () => expect(await shop.disruptions()).toMatchObject([{ status: 'investigating' }]), timing);
  await eventually(async () => expect(await shop.page()).toContain('Major outage'), timing);
  await shop.nudge();
  await eventually(async () => expect((await failures(shop)).counted).toBeGreaterThan(0), timing);

  target.repair();
  await shop.nudge();
  await eventually(() => expect(eventsOf(shop, 'hook')).toEqual(['monitor_down', 'monitor_recovered']), timing);
  await eventually(async () => expect(await shop.disruptions()).toMatchObject([{ status: 'resolved' }]), timing);
  await allHeard(network);
  // The second message arrives later, because Slack accepts one message per second.
  await eventually(() => expect(eventsOf(shop, 'slack')).toHaveLength(2), timing);
  const { seen, counted } = await failures(shop);
  expect(seen - counted).toBe(during.seen);
});

test('a monitor that is linked to a component during its maintenance raises no alert', async () => {
  const shop = await fixture.openShop();
  const other = await fixture.openShop();
  for (const one of [shop, other]) await eventually(async () => expect(await one.state()).toBe('up'), timing);
  const complete = await beginMaintenance(shop);
  const page = (await network.api.get<{ id: string; slug: string }[]>('/status-pages')).find(
    ({ slug }) => slug === shop.slug,
  );
  await network.api.patch(`/status-pages/${page?.id}/components/${shop.componentId}`, {
    monitors: [{ monitor_id: other.monitorId, down_status: 'major_outage' }],
  });
  await allHeard(network);

  target.break();
  for (const one of [shop, other]) {
    await one.nudge();
    await eventually(async () => expect(await one.state()).toBe('down'), timing);
  }
  // The shop's own monitor is no longer linked, so the maintenance does not cover it.
  await eventually(() => expect(eventsOf(shop, 'hook')).toEqual(['monitor_down']), timing);
  await allHeard(network);
  expect(eventsOf(other, 'hook')).toEqual([]);
  expect(await other.disruptions()).toEqual([]);

  target.repair();
  await other.nudge();
  await eventually(async () => expect(await other.state()).toBe('up'), timing);
  await complete();
  await allHeard(network);
  expect(eventsOf(other, 'hook')).toEqual([]);
  expect(await other.disruptions()).toEqual([]);
});
