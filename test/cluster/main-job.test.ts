import { eventually } from '@tocsin/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openShop } from '../journeys/shop.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { apiOf, COMPONENTS, NAMESPACE, podsOfComponent, RELEASE, runHelm } from './installation.ts';
import { kubectl } from './kubernetes.ts';
import { type ClusterTarget, OWN_ADDRESS, startClusterTarget } from './target.ts';

const installed = inject('installed');
const outside = 'outside';

/** Timeout for one round of checks. Rounds start every 30 seconds. */
const withinARound = { timeoutMs: 60_000 };

let receiver: Receiver;
let target: ClusterTarget;

beforeAll(async () => {
  receiver = await startReceiver(OWN_ADDRESS);
  target = await startClusterTarget(outside, { port: 8000 });
});
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await kubectl('delete', 'namespace', outside, '--ignore-not-found');
});

test('every pod is ready under the Pod Security Standard "restricted"', async () => {
  for (const component of COMPONENTS) {
    const pods = await podsOfComponent(NAMESPACE, component);
    expect(pods.map(({ status }) => status.containerStatuses?.map(({ ready }) => ready))).toEqual([[true]]);
  }
});

test('helm test succeeds', async () => {
  expect(await runHelm(['test', RELEASE, '--namespace', NAMESPACE])).toMatch(/Phase:\s+Succeeded/);
});

test('an outage of a target in the cluster is shown on the page until the recovery, and the outage and the recovery each cause an alert', async () => {
  const api = apiOf(installed);
  const shop = await openShop({ api, baseUrl: installed.baseUrl }, target, receiver);
  const hook = `/${shop.slug}/hook`;
  const events = () => receiver.alerts(hook).map(({ body }) => body.event);
  await eventually(async () => expect(await shop.state()).toBe('up'), withinARound);
  await eventually(async () => expect(await shop.page()).toContain('Operational'));

  await target.break();
  await eventually(async () => expect(await shop.state()).toBe('down'), withinARound);
  await eventually(() => expect(events()).toEqual(['monitor_down']));
  await eventually(async () => expect(await shop.page()).toContain('Major outage'));

  await target.repair();
  await eventually(async () => expect(await shop.state()).toBe('up'), withinARound);
  await eventually(() => expect(events()).toEqual(['monitor_down', 'monitor_recovered']));
  await eventually(async () => expect(await shop.page()).not.toContain('Major outage'));
  expect(await shop.disruptions()).toMatchObject([{ auto_created: true, status: 'resolved' }]);
});

test('a synthetic check runs its script in Chromium, which the second image contains', async () => {
  const api = apiOf(installed);
  const script = `await page.goto('${target.url}'); await expect(page.locator('body')).toContainText('fine');`;
  const { id } = await api.post<{ id: string }>('/monitors', {
    name: 'Script',
    check_type: 'synthetic',
    config: { script },
    interval_seconds: 300,
  });
  await eventually(
    async () => {
      const runs = await api.get<{ results: { outcome: string; error: string }[] }[]>(`/monitors/${id}/runs`);
      expect(runs[0]?.results).toMatchObject([{ outcome: 'pass' }]);
    },
    { timeoutMs: 120_000, intervalMs: 1_000 },
  );
  await api.delete(`/monitors/${id}`);
});
