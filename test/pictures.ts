import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installChromium } from '@tocsin/dev-servers/find-chromium';
import { eventually } from '@tocsin/testing';
import pg from 'pg';
import { chromium } from 'playwright-core';
import { type Network, startNetwork } from './network.ts';

/**
 * Takes the pictures for the README: a status page on a day without problems and during an outage. The page has ninety
 * days of invented history.
 */

const IMAGES = join(import.meta.dirname, '../docs/images');
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

interface Component {
  readonly id: string;
  readonly name: string;
}

const STRUCTURE = [
  { name: 'Shop', components: ['Storefront', 'Search', 'Checkout'] },
  { name: 'Developers', components: ['API', 'Webhooks'] },
  { name: 'Back office', components: ['Dashboard', 'Reports'] },
];

/** Past disruptions: days ago, minutes, component, its status, impact and title. */
const HISTORY = [
  [81, 34, 'Search', 'degraded_performance', 'minor', 'Slow search results'],
  [64, 18, 'API', 'partial_outage', 'major', 'Errors of the API in Europe'],
  [47, 12, 'Checkout', 'major_outage', 'critical', 'Checkout is not available'],
  [29, 95, 'Reports', 'degraded_performance', 'minor', 'Reports are delayed'],
  [11, 22, 'Storefront', 'partial_outage', 'major', 'Pages load slowly or not at all'],
  [3, 9, 'Webhooks', 'partial_outage', 'major', 'Webhooks are delivered late'],
] as const;

await using network = await startNetwork();
const { page, components } = await createPage(network);
await recordHistory(network, page.id, components);
await using browser = await launch();
await takePicture('calm');
await breakCheckout(network, page.id, components);
await takePicture('outage');

async function createPage({ api, installation }: Network) {
  const created = await api.post<{ id: string; slug: string }>('/status-pages', {
    name: 'Northwind',
    slug: 'northwind',
    enabled: true,
    primary_color: '#635bff',
    homepage_url: 'https://northwind.example/',
    support_url: 'https://northwind.example/help',
  });
  const { components: groups } = await api.put<{ components: { components: Component[] }[] }>(
    `/status-pages/${created.id}/structure`,
    {
      components: STRUCTURE.map(({ name, components: names }) => ({
        type: 'group',
        name,
        default_open: true,
        components: names.map((component) => ({ type: 'component', name: component })),
      })),
    },
  );
  // The bars cover the last 90 days. The components are new, so the start of their history is moved to an earlier time.
  const database = new pg.Client({ connectionString: installation.postgres?.url });
  await database.connect();
  await database.query(`update statuspage.component_interval set started_at = now() - interval '95 days'`);
  await database.end();
  return { page: created, components: groups.flatMap(({ components: inGroup }) => inGroup) };
}

async function recordHistory({ api }: Network, pageId: string, all: readonly Component[]): Promise<void> {
  for (const [daysAgo, minutes, name, status, impact, title] of HISTORY) {
    const startedAt = Date.now() - daysAgo * DAY_MS;
    const at = (share: number) => new Date(startedAt + share * minutes * MINUTE_MS).toISOString();
    await api.post('/disruptions', {
      title,
      impact,
      started_at: at(0),
      resolved_at: at(1),
      status: 'resolved',
      status_page_id: pageId,
      components: [{ id: idOf(all, name), status }],
      updates: [
        { status: 'investigating', message: 'We are looking into it.', posted_at: at(0) },
        { status: 'identified', message: 'We have found the cause and are fixing it.', posted_at: at(0.4) },
        { status: 'resolved', message: 'It works again. We are sorry for the trouble.', posted_at: at(1) },
      ],
    });
  }
}

async function breakCheckout({ api }: Network, pageId: string, all: readonly Component[]): Promise<void> {
  const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();
  await api.post('/disruptions', {
    title: 'Payments fail in Europe',
    impact: 'critical',
    started_at: ago(24),
    status: 'identified',
    status_page_id: pageId,
    components: [
      { id: idOf(all, 'Checkout'), status: 'major_outage' },
      { id: idOf(all, 'API'), status: 'degraded_performance' },
    ],
    updates: [
      { status: 'investigating', message: 'Payments by card fail for customers in Europe.', posted_at: ago(24) },
      {
        status: 'identified',
        message:
          'Our payment provider has an outage. **Payments by invoice work.** We are switching to the second provider.',
        posted_at: ago(6),
      },
    ],
  });
}

function idOf(all: readonly Component[], name: string): string {
  const found = all.find((component) => component.name === name);
  if (!found) throw new Error(`there is no component ${name}`);
  return found.id;
}

async function launch() {
  return chromium.launch({ executablePath: await installChromium(process.env), args: ['--no-sandbox'] });
}

async function takePicture(name: 'calm' | 'outage'): Promise<void> {
  const expected = name === 'calm' ? 'All systems operational' : 'Major outage';
  await using tab = await browser.newPage({ viewport: { width: 1_000, height: 760 }, colorScheme: 'light' });
  await eventually(async () => {
    await tab.goto(`${network.baseUrl}/s/${page.slug}`);
    if (!(await tab.locator('main').textContent())?.includes(expected)) throw new Error(`the page is not ${name} yet`);
  });
  await mkdir(IMAGES, { recursive: true });
  const file = join(IMAGES, `status-page-${name}.png`);
  await writeFile(file, await tab.screenshot());
  process.stdout.write(`${file}\n`);
}
