import { eventually } from '@tocsin/testing';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Network, startNetwork } from '../network.ts';
import { startTarget, type Target } from '../target.ts';
import { allHeard } from './all-heard.ts';
import { openMonitor as openMonitorOf, openPage as openPageOf, timing } from './truthful-page.ts';

const STATUS_DOMAIN = 'status.example';
const stack = new AsyncDisposableStack();
let network: Network;
let target: Target;
beforeAll(async () => {
  target = stack.use(await startTarget());
  network = stack.use(await startNetwork({ TOCSIN_STATUS_DOMAIN: STATUS_DOMAIN, TOCSIN_PAGE_MAX_AGE_S: '2' }));
});
afterAll(() => stack.disposeAsync());

const openPage = (components: readonly object[]) => openPageOf(network, components);
const openMonitor = (settings?: object) => openMonitorOf(network, target, settings);
const open = (body: object) => network.api.post<{ id: string }>('/disruptions', body);
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

test('a component linked to a monitor that is down is red, and stays red when the same structure is saved again', async () => {
  target.break();
  const monitor = await openMonitor();
  await monitor.becomes('down');
  await allHeard(network);
  const structure = [{ name: 'Checkout', monitors: monitor.links }];
  const page = await openPage(structure);
  await page.shows('Major outage', 'major_outage');
  const repeated = await page.put(structure);
  expect(repeated.components).toMatchObject([{ id: page.components[0]?.id, status: 'major_outage' }]);
  await page.shows('Major outage', 'major_outage');

  const automatic = await page.text();
  expect(automatic).toContain('Checkout');
  expect(automatic).not.toContain('internal-host');
  const [disruption] = await network.api.get<{ id: string }[]>('/disruptions');
  await network.api.patch(`/disruptions/${disruption?.id}`, { message: 'What was seen: smoke. We are on it.' });
  await eventually(async () => expect(await page.text()).toContain('What was seen: smoke. We are on it.'), timing);
  target.repair();
  await monitor.becomes('up');
  await page.shows('All systems operational', 'operational');
});

test('a critical disruption without components is shown in the banner', async () => {
  const page = await openPage([{ name: 'API' }]);
  await page.shows('All systems operational', 'operational');
  const { id } = await open({
    title: 'No power',
    impact: 'critical',
    started_at: inMinutes(0),
    status_page_id: page.id,
    components: [],
  });
  await page.shows('class="card banner is-major_outage', 'major_outage', 'operational');
  await network.api.patch(`/disruptions/${id}`, { status: 'resolved' });
  await page.shows('All systems operational', 'operational');
});

test('a component whose monitor has no results or is disabled is gray', async () => {
  const pending = await openMonitor({ check_type: 'heartbeat', config: { expected_interval: 3_600 } });
  const page = await openPage([{ name: 'Backup', monitors: pending.links }]);
  await page.shows('No data', 'unknown');
  await network.api.patch(`/monitors/${pending.id}`, { enabled: false });
  await page.shows('Not monitored', 'unknown');
  expect(await page.text()).not.toContain('All systems operational');
});

test('a disruption that is recorded after its end changes no status and is shown as past', async () => {
  const page = await openPage([{ name: 'API' }]);
  await open({
    title: 'Old outage',
    status: 'resolved',
    started_at: inMinutes(-120),
    resolved_at: inMinutes(-60),
    updates: [
      { status: 'investigating', message: 'We look into it.', posted_at: inMinutes(-120) },
      { status: 'resolved', message: 'It was the cable.', posted_at: inMinutes(-60) },
    ],
    status_page_id: page.id,
    components: [{ id: page.components[0]?.id, status: 'major_outage' }],
  });
  await eventually(async () => expect(await page.text()).toContain('It was the cable.'), timing);
  await page.shows('All systems operational', 'operational');
  expect(await page.text()).not.toContain('id="ongoing"');
});

test('planned maintenance is announced, and changes no status before it starts', async () => {
  const page = await openPage([{ name: 'API' }]);
  await open({
    type: 'maintenance',
    title: 'New disks',
    started_at: inMinutes(60),
    ends_at: inMinutes(120),
    status_page_id: page.id,
    components: [{ id: page.components[0]?.id, status: 'under_maintenance' }],
  });
  await eventually(async () => expect(await page.text()).toContain('will be under maintenance'), timing);
  await page.shows('All systems operational', 'operational');
});

test('the ended outages of a flapping monitor are shown as one entry, and its last outage stays open after the monitor is disabled automatically', async () => {
  const monitor = await openMonitor();
  const page = await openPage([{ name: 'Search', monitors: monitor.links }]);
  const isEnabled = async () => (await network.api.get<{ enabled: boolean }>(`/monitors/${monitor.id}`)).enabled;
  for (let outage = 1; outage <= 11; outage += 1) {
    target.break();
    await monitor.becomes('down');
    if (outage === 11) break;
    target.repair();
    await monitor.becomes('up');
  }
  await eventually(async () => expect(await isEnabled()).toBe(false), timing);
  target.repair();
  await allHeard(network);
  await page.shows('Major outage', 'major_outage');
  const text = await page.text();
  expect(text).toContain('All 10 times');
  expect(text.match(/<article /g)).toHaveLength(2);
});

/** Requests a path from the gateway with a Host header, as a browser does. */
async function browse(host: string, path: string) {
  const headers = { host, accept: 'text/html,application/xhtml+xml' };
  const { statusCode, headers: returned, body } = await request(`${network.baseUrl}${path}`, { headers });
  return { status: statusCode, headers: returned, text: await body.text() };
}

test('the host of a page serves only this page, old slugs redirect, and a browser gets HTML for every failure', async () => {
  const one = await openPage([{ name: 'First component' }]);
  const other = await openPage([{ name: 'Second component' }]);
  const host = `${one.slug}.${STATUS_DOMAIN}`;
  expect(await browse(host, '/')).toMatchObject({ status: 200, text: expect.stringContaining('First component') });
  expect(await browse(host, `/s/${other.slug}`)).toMatchObject({ status: 404 });

  await network.api.patch(`/status-pages/${one.id}`, { slug: `${one.slug}-new` });
  await eventually(async () => {
    const moved = await browse('127.0.0.1', `/s/${one.slug}`);
    expect(moved).toMatchObject({ status: 301, headers: { location: `/s/${one.slug}-new` } });
  }, timing);

  const landing = await browse('127.0.0.1', '/');
  expect(landing).toMatchObject({ status: 200, text: expect.stringContaining('Tocsin') });
  for (const [at, path] of [
    ['127.0.0.1', '/s/nothing'],
    ['127.0.0.1', '/nothing/at/all'],
    [host, `/s/${other.slug}`],
    ['unknown.example', '/'],
  ] as const) {
    const lost = await browse(at, path);
    expect([at, path, lost.status, lost.headers['content-type']]).toEqual([at, path, 404, 'text/html; charset=utf-8']);
  }
});
