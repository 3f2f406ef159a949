import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { installChromium } from '@tocsin/dev-servers/find-chromium';
import { ComponentStatus } from '@tocsin/proto/statuspage/v1/component_status';
import { eventually } from '@tocsin/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aDisruption } from './a-disruption.ts';
import { component, componentsByName, freshSlug, statusPageFixture } from './statuspage-fixture.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><script>document.title = "script"</script></svg>',
);

const stack = new AsyncDisposableStack();
const root = await mkdtemp(join(tmpdir(), 'tocsin-snapshots-'));
stack.defer(() => rm(root, { recursive: true }));
await mkdir(join(root, 'assets'));
await writeFile(join(root, 'assets', 'notes.txt'), 'not ours');
const fixture = stack.use(
  await statusPageFixture({
    snapshotDir: root,
    logos: { fetch: async (url) => ({ kind: 'fetched', content: url.endsWith('.svg') ? SVG : PNG }) },
  }),
);
const organizationId = v7();
const us = await fixture.as(organizationId);

const TYPES: Record<string, string> = { '.html': 'text/html', '.json': 'application/json', '.png': 'image/png' };
/** A static file server like the one that a customer would run in front of a bucket. */
const server = createServer(async (request, response) => {
  const path = (request.url ?? '').replace(/\/$/, '/index.html');
  const body = await readFile(join(root, path)).catch(() => undefined);
  response.writeHead(body ? 200 : 404, { 'content-type': TYPES[extname(path)] ?? 'text/plain' }).end(body);
});
let site = '';
let browser: Browser;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stack.defer(() => void server.close());
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await chromium.launch({ executablePath: await installChromium(process.env), args: ['--no-sandbox'] });
  stack.defer(() => browser.close());
});
afterAll(() => stack.disposeAsync());

async function createPage(settings: object = {}) {
  const slug = freshSlug();
  const { statusPage } = await fixture.rpc.createStatusPage({ name: 'Acme', slug, enabled: true, ...settings }, us);
  const id = statusPage?.id ?? '';
  const entries = [component({ name: 'API' })];
  const tree = componentsByName((await fixture.rpc.replaceStructure({ id, entries }, us)).statusPage?.entries);
  const api = { id: tree.API?.id ?? '', name: 'API', statusPageId: id, status: ComponentStatus.MAJOR_OUTAGE };
  return { id, slug, api, read: (path: string, folder = slug) => readFile(join(root, folder, path), 'utf8') };
}

const filesOf = (slug: string) => readdir(join(root, slug), { recursive: true }).catch(() => [] as string[]);
const month = (offset: number) => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)).toISOString().slice(0, 7);
};

test('a public page is written as files whose links point to the public address of the page', async () => {
  const { slug, read } = await createPage({ logoLightUrl: 'https://cdn.example.com/logo.png' });
  await eventually(async () => expect(await read('index.html')).toMatch(/src="\.\/logo\/[0-9a-f]{32}\.png"/));
  const files = (await filesOf(slug)).filter((path) => /\.\w+$/.test(path));
  expect(files.map((path) => path.replace(/[0-9a-f]{32}/, 'hash')).sort()).toEqual(
    [
      'api/v2/components.json',
      'api/v2/incidents.json',
      'api/v2/incidents/unresolved.json',
      'api/v2/scheduled-maintenances.json',
      'api/v2/scheduled-maintenances/active.json',
      'api/v2/scheduled-maintenances/upcoming.json',
      'api/v2/status.json',
      'api/v2/summary.json',
      'badge.svg',
      `history/${month(-1)}.html`,
      `history/${month(0)}.html`,
      'history.atom',
      'history.rss',
      'index.html',
      'logo/hash.png',
      'preview/operational.png',
    ].sort(),
  );
  const publicUrl = `http://tocsin.test/s/${slug}`;
  for (const path of ['index.html', `history/${month(0)}.html`]) {
    const links = [...(await read(path)).matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
    const elsewhere = links.filter((href) => !href.startsWith(publicUrl) && !/^(#|data:)/.test(href));
    expect(elsewhere, path).toEqual([]);
  }
  expect(JSON.parse(await read('api/v2/status.json'))).toMatchObject({ page: { url: publicUrl } });
  expect(await read('history.atom')).toContain(`<link rel="alternate" type="text/html" href="${publicUrl}"/>`);
  // The files have the same content as the public formats.
  for (const path of ['api/v2/summary.json', 'history.rss', 'badge.svg']) {
    expect(await read(path)).toBe(await (await fetch(`${fixture.url}/s/${slug}/${path}`)).text());
  }
});

test('an SVG logo is embedded in the page, so that no file with a script of a tenant is published', async () => {
  const { slug, read } = await createPage({ logoLightUrl: 'https://cdn.example.com/logo.svg' });
  const source = `data:image/svg+xml;charset=utf-8;base64,${SVG.toString('base64')}`;
  await eventually(async () => expect(await read('index.html')).toContain(`src="${source}"`));
  expect((await filesOf(slug)).filter((path) => path.startsWith('logo'))).toEqual([]);
  const page = await browser.newPage();
  try {
    await page.goto(`${site}/${slug}/`);
    expect(await page.evaluate("document.querySelector('img.logo').naturalWidth")).toBe(40);
    expect(await page.title()).not.toBe('script');
  } finally {
    await page.close();
  }
});

test('the time in alive.json is at most a minute old', async () => {
  const alive = await eventually(() => readFile(join(root, 'alive.json'), 'utf8'));
  expect(Math.abs(Date.parse(JSON.parse(alive).at) - Date.now())).toBeLessThan(60_000);
});

test('a snapshot shows a disruption within seconds', async () => {
  const { read, api } = await createPage();
  await eventually(async () => expect(await read('index.html')).toContain('All systems operational'));
  const disruption = aDisruption(organizationId, [api], { title: 'No power' });
  await fixture.publish(disruption.created());
  await eventually(async () => expect(await read('index.html')).toContain('No power'), { timeoutMs: 5_000 });
  await eventually(async () => expect(await read('api/v2/summary.json')).toContain('No power'));
});

test('the folder of a page moves with its slug, and is removed when the page is disabled or deleted', async () => {
  const { id, slug, read } = await createPage();
  const written = async (folder: string) => (await filesOf(folder)).includes('index.html');
  await eventually(async () => expect(await written(slug)).toBe(true));
  const renamed = freshSlug();
  await fixture.rpc.updateStatusPage({ id, slug: renamed }, us);
  await eventually(async () => expect([await written(slug), await written(renamed)]).toEqual([false, true]));
  expect(await filesOf(slug)).toEqual([]);
  await fixture.rpc.updateStatusPage({ id, enabled: false }, us);
  await eventually(async () => expect(await filesOf(renamed)).toEqual([]));
  await fixture.rpc.updateStatusPage({ id, enabled: true }, us);
  await eventually(async () => expect(await read('index.html', renamed)).toContain('Acme'));
  await fixture.rpc.deleteStatusPage({ id }, us);
  await eventually(async () => expect(await filesOf(renamed)).toEqual([]));
  expect(await readFile(join(root, 'assets', 'notes.txt'), 'utf8')).toBe('not ours');
});

test('no snapshot is written for a page that is not public', async () => {
  const hidden = await createPage({ enabled: false });
  const shown = await createPage();
  await eventually(async () => expect(await shown.read('index.html')).toContain('Acme'));
  expect(await filesOf(hidden.slug)).toEqual([]);
});

/** Opens a page of a snapshot, and collects browser errors. */
async function open(path: string): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  // The visitor's clock is wrong by a day.
  await page.clock.install({ time: new Date(Date.now() + 86_400_000) });
  await page.goto(`${site}/${path}`);
  return { page, problems };
}

test.each(['', 'history'])(
  'an open snapshot at /%s is updated, and shows a notice when the snapshot is no longer written',
  async (below) => {
    const { id, slug, read } = await createPage({ logoLightUrl: 'https://cdn.example.com/logo.png' });
    await eventually(async () => expect(await read('index.html')).toContain('./logo/'));
    const { page, problems } = await open(`${slug}/${below && `history/${month(0)}.html`}`);
    const notice = page.locator('.as-of');
    await page.evaluate('window.isMarked = true');
    const alive = async (at: Date, outdated: string[] = []) =>
      writeFile(join(root, 'alive.json'), JSON.stringify({ at: at.toISOString(), outdated }));
    const later = async (assertion: () => Promise<void>) =>
      eventually(async () => {
        await page.clock.fastForward(36_000);
        await assertion();
      });

    await alive(new Date());
    await later(async () => expect(await notice.isVisible()).toBe(false));
    await fixture.rpc.updateStatusPage({ id, name: 'Renamed' }, us);
    await later(async () => expect(await page.title()).toContain('Renamed'));

    const stopped = new Date(Date.now() - 125_000);
    await later(async () => {
      await alive(stopped);
      expect(await notice.isVisible()).toBe(true);
    });
    await later(async () => {
      await alive(new Date());
      expect(await notice.isVisible()).toBe(false);
    });
    await later(async () => {
      await alive(new Date(), [id]);
      expect(await notice.isVisible()).toBe(true);
    });
    expect(await page.evaluate('window.isMarked')).toBe(true);
    expect(problems).toEqual([]);
    await page.close();
  },
);
